import { expect } from "chai";
import { readEnvironment as readApi } from "../../api/environment.ts";
import { deriveNetwork, networkContradictions } from "../../core/process/network-rules.ts";
import { readEnvironment as readIndexer } from "../../indexer/environment.ts";
import { readDeployConfiguration } from "../../scripts/deploy/configuration.ts";
import { readOperatorEnvironment } from "../../scripts/operator/environment.ts";

const LOOPBACK = ["http://127.0.0.1:8545"];
const SPICY_NODE = ["https://spicy-rpc.chiliz.com"];
const SPICY = 88_882;
const CHILIZ = 88_888;

describe("The network", () => {
  for (const [variables, network] of [
    [{}, "localhost"],
    [{ CHAIN_ID: SPICY }, "localhost"],
    // A node on this machine may be on any chain.
    [{ RPC_URLS: LOOPBACK }, "spicy"],
    [{ RPC_URLS: SPICY_NODE }, "spicy"],
    [{ RPC_URLS: LOOPBACK, CHAIN_ID: SPICY }, "spicy"],
    [{ RPC_URLS: LOOPBACK, CHAIN_ID: CHILIZ }, "chiliz"],
    [{ NETWORK: "localhost", RPC_URLS: LOOPBACK }, "localhost"],
    [{ NETWORK: "localhost", RPC_URLS: ["http://chain:8545"] }, "localhost"],
    [{ NETWORK: "localhost", RPC_URLS: ["http://192.168.1.20:8545", "http://[fd00::7]:8545"] }, "localhost"],
    [{ NETWORK: "spicy", RPC_URLS: LOOPBACK }, "spicy"],
    [{ NETWORK: "chiliz", RPC_URLS: LOOPBACK }, "chiliz"],
    [{ NETWORK: "chiliz", RPC_URLS: LOOPBACK, CHAIN_ID: CHILIZ }, "chiliz"],
  ] as const) {
    it(`is ${network} by ${JSON.stringify(variables)}`, () => {
      expect(deriveNetwork(variables)).to.equal(network);
      expect(networkContradictions(variables)).to.deep.equal([]);
    });
  }

  for (const [variables, variable, message] of [
    [{ NETWORK: "chiliz", CHAIN_ID: SPICY }, "CHAIN_ID", /^88882 contradicts .* NETWORK=chiliz, which is chain 88888$/],
    [{ NETWORK: "spicy", CHAIN_ID: CHILIZ }, "CHAIN_ID", /NETWORK=spicy, which is chain 88882$/],
    [{ NETWORK: "localhost", CHAIN_ID: CHILIZ }, "CHAIN_ID", /NETWORK=localhost/],
    [{ CHAIN_ID: CHILIZ }, "CHAIN_ID", /without RPC_URLS the network is localhost/],
    [{ NETWORK: "localhost", RPC_URLS: SPICY_NODE }, "NETWORK", /spicy-rpc\.chiliz\.com in RPC_URLS is a public host/],
    [{ NETWORK: "localhost", RPC_URLS: ["https://8.8.8.8/key"] }, "NETWORK", /^(?!.*key).*8\.8\.8\.8/],
  ] as const) {
    it(`refuses ${JSON.stringify(variables)} in one line`, () => {
      const problems = networkContradictions(variables);
      expect(problems.map((problem) => problem.variable)).to.deep.equal([variable]);
      expect(problems[0]?.message).to.match(message).and.not.include("\n");
    });
  }

  const OWN = {
    OPERATOR_PRIVATE_KEY: `0x${"12".repeat(32)}`,
    PUBLIC_URL: "https://torcida.example",
    SITE_URL: "https://torcida.example",
    DEPLOYER_PRIVATE_KEY: `0x${"34".repeat(32)}`,
    TREASURER_ADDRESS: `0x${"44".repeat(20)}`,
    PAUSER_ADDRESS: `0x${"55".repeat(20)}`,
    ADMIN_ADDRESS: `0x${"66".repeat(20)}`,
    RATE_URL: "https://rates.example",
    PURCHASE_NFT_ADDRESS: `0x${"11".repeat(20)}`,
    CASHBACK_DISTRIBUTOR_ADDRESS: `0x${"22".repeat(20)}`,
  };

  for (const [variables, network, chainId, confirmations] of [
    [{}, "localhost", SPICY, 1],
    [{ RPC_URLS: LOOPBACK[0] }, "spicy", SPICY, 15],
    [{ NETWORK: "localhost", RPC_URLS: LOOPBACK[0] }, "localhost", SPICY, 1],
    [{ NETWORK: "chiliz", RPC_URLS: LOOPBACK[0] }, "chiliz", CHILIZ, 15],
  ] as const) {
    it(`is ${network} in every process alike by ${JSON.stringify(variables)}`, () => {
      const source = { ...OWN, ...variables };
      const api = readApi(source);
      expect([api.network, api.CHAIN_ID, api.CONFIRMATIONS]).to.deep.equal([network, chainId, confirmations]);
      const { source: indexed, pollIntervalMs } = readIndexer(source);
      expect([indexed.chainId, pollIntervalMs]).to.deep.equal([chainId, network === "localhost" ? 100 : 1_000]);
      const operator = readOperatorEnvironment(source);
      expect([operator.network, operator.chainId]).to.deep.equal([network, chainId]);
      const deploy = readDeployConfiguration(network, source);
      expect([deploy.network, deploy.chainId]).to.deep.equal([network, chainId]);
    });
  }

  it("is refused in every process if the variables contradict each other", () => {
    const source = { ...OWN, NETWORK: "chiliz", CHAIN_ID: "88882", RPC_URLS: LOOPBACK[0] };
    const line = /^CHAIN_ID 88882 contradicts the network: NETWORK=chiliz, which is chain 88888$/;
    for (const read of [readApi, readIndexer, readOperatorEnvironment]) expect(() => read(source)).to.throw(line);
    expect(() => readDeployConfiguration("chiliz", source)).to.throw(line);
    expect(() => readDeployConfiguration("spicy", { ...source, CHAIN_ID: "" })).to.throw(
      /^NETWORK is chiliz, but --network says spicy$/,
    );
  });
});
