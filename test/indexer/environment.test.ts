import { expect } from "chai";
import { EnvironmentError } from "../../core/process/environment.ts";
import { readEnvironment } from "../../indexer/environment.ts";

const ADDRESSES = {
  PURCHASE_NFT_ADDRESS: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  CASHBACK_DISTRIBUTOR_ADDRESS: `0x${"22".repeat(20)}`,
};

describe("Indexer environment", () => {
  it("requires only the contracts", () => {
    expect(readEnvironment(ADDRESSES)).to.deep.equal({
      dataDirectory: "data",
      databaseUrl: "data/torcida.db",
      network: "localhost",
      rpcUrls: ["http://127.0.0.1:8545"],
      nodeSettings: {
        network: "localhost",
        urls: ["http://127.0.0.1:8545"],
        isPlaintextAccepted: false,
        isOneNodeAccepted: false,
      },
      webSocketUrls: ["ws://127.0.0.1:8545"],
      source: {
        chainId: 88_882,
        purchaseNft: ADDRESSES.PURCHASE_NFT_ADDRESS.toLowerCase(),
        formerPurchaseNfts: [],
        cashbackDistributor: ADDRESSES.CASHBACK_DISTRIBUTOR_ADDRESS,
        formerDistributors: [],
        startBlock: 0,
      },
      deploymentTransactions: [],
      port: 3001,
      host: "127.0.0.1",
      pollIntervalMs: 100,
      blockMs: 100,
      logLevel: "info",
    });
  });

  it("requests by HTTP and subscribes by WebSocket", () => {
    const urls = "https://spicy-rpc.chiliz.com, wss://spicy-rpc-ws.chiliz.com";
    const { rpcUrls, webSocketUrls, pollIntervalMs, blockMs } = readEnvironment({ ...ADDRESSES, RPC_URLS: urls });
    expect(rpcUrls).to.deep.equal(["https://spicy-rpc.chiliz.com"]);
    expect(webSocketUrls).to.deep.equal(["wss://spicy-rpc-ws.chiliz.com"]);
    expect([pollIntervalMs, blockMs]).to.deep.equal([1_000, 3_000]);
  });

  it("polls as often as it is told to, not in step with the blocks", () => {
    const { pollIntervalMs, blockMs } = readEnvironment({ ...ADDRESSES, POLL_INTERVAL_MS: "700" });
    expect([pollIntervalMs, blockMs]).to.deep.equal([700, 700]);
  });

  for (const [variables, line] of [
    [{ CHAIN_ID: "spicy" }, "CHAIN_ID must be a whole number"],
    [{ CHAIN_ID: "88888" }, /^CHAIN_ID 88888 contradicts/],
    [{ INDEXER_PORT: "70000" }, "INDEXER_PORT must be at most 65535"],
    [{ START_BLOCK: "-1" }, "START_BLOCK must be at least 0"],
    [{ RPC_URLS: "ws://127.0.0.1:8546" }, "RPC_URLS needs at least one http(s):// address"],
    [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL /],
    [
      { FORMER_DISTRIBUTOR_ADDRESSES: "0x12" },
      'FORMER_DISTRIBUTOR_ADDRESSES must be addresses, comma separated, not "0x12"',
    ],
    [{ PURCHASE_NFT_ADDRESS: "0x12" }, "PURCHASE_NFT_ADDRESS must be an address: 0x and 40 hexadecimal digits"],
    [
      { PURCHASE_NFT_ADDRESS: "0x5FbDB2315678afecb367f032d93F642f64180aA3" },
      /^PURCHASE_NFT_ADDRESS has a wrong checksum/,
    ],
  ] as const) {
    it(`refuses ${JSON.stringify(variables)} in one line`, () => {
      let failure: unknown;
      try {
        readEnvironment({ ...ADDRESSES, ...variables });
      } catch (error) {
        failure = error;
      }
      expect(failure).to.be.instanceOf(EnvironmentError);
      const { message } = failure as Error;
      expect(message.split("\n")).to.have.length(1);
      if (typeof line === "string") expect(message).to.equal(line);
      else expect(message).to.match(line);
    });
  }
});
