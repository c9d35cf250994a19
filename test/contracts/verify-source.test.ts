import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { decodeAbiParameters, parseAbiParameters, zeroAddress } from "viem";
import type { Deployment } from "../../core/chain/deployment.ts";
import { build } from "../../core/chain/generated/build.ts";
import { startDeploy } from "../testing/deploy-run.ts";
import { type Explorer, openExplorer } from "./support/explorer.ts";

const [ADMIN, NFT, DISTRIBUTOR, DESCRIPTOR] = ["aa", "bb", "cc", "dd"].map(
  (pair) => `0x${pair.repeat(20)}` as const,
) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`];
const LIMITS = { maxWeiPerCent: "40000000000000000", maxPayout: "1000", dailyCap: "10000" };
const RECORD: Deployment = {
  network: "spicy",
  chainId: 88_882,
  block: 7,
  deployer: ADMIN,
  ticketDescriptor: { address: DESCRIPTOR, transaction: "0x03" },
  purchaseNft: {
    address: NFT,
    transaction: "0x01",
    constructorArguments: [ADMIN, 3_600, "https://torcida.example", DESCRIPTOR],
  },
  formerPurchaseNfts: [],
  formerDistributors: [],
  cashbackDistributor: {
    address: DISTRIBUTOR,
    transaction: "0x02",
    constructorArguments: [ADMIN, 3_600, NFT, LIMITS, zeroAddress],
  },
  build: { ...build, libraries: [...build.libraries] },
  calls: [],
  fanTokens: [],
};

/** Needs no chain: everything to verify is in the record. */
describe("npm run deploy -- --verify", function () {
  this.timeout(60_000);
  let explorer: Explorer;
  let directory: string;
  beforeEach(async () => {
    explorer = await openExplorer();
    directory = mkdtempSync(join(tmpdir(), "torcida-verify-"));
    writeFileSync(join(directory, "spicy.json"), JSON.stringify(RECORD));
  });
  afterEach(async () => {
    await explorer.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const verify = async (url = explorer.url) => {
    const environment = { DEPLOYMENTS_DIR: directory, EXPLORER_API_URL: url };
    const { code, output } = await startDeploy(["--network", "spicy", "--verify"], environment).ended;
    return { code, lines: output.trim().split("\n") };
  };
  const source = (name: string) => join(directory, "sources", `spicy-${name}.json`);
  const submissions = () => explorer.asked.filter(({ action }) => action === "verifysourcecode");

  it("submits the sources of the bytecode, and waits until the explorer has compared them", async () => {
    let polls = 0;
    explorer.answer = ({ action, contractaddress = "" }) => {
      if (action === "verifysourcecode") return { status: "1", message: "OK", result: `guid ${contractaddress}` };
      const isPending = ++polls === 1;
      return { status: isPending ? "0" : "1", result: isPending ? "Pending in queue" : "Pass - Verified" };
    };
    expect(await verify()).to.deep.equal({
      code: 0,
      lines: ["✓ PurchaseNFT: verified", "✓ CashbackDistributor: verified", "✓ TicketDescriptor: verified"],
    });
    expect(polls).to.equal(4);
    expect(explorer.asked.find(({ action }) => action === "checkverifystatus")?.guid?.toLowerCase()).to.equal(
      `guid ${NFT}`,
    );

    const [nft, distributor] = submissions();
    expect(nft).to.include({
      module: "contract",
      codeformat: "solidity-standard-json-input",
      contractname: "project/contracts/PurchaseNFT.sol:PurchaseNFT",
      compilerversion: `v${build.compiler}`,
    });
    const input = JSON.parse(nft?.sourceCode ?? "") as {
      sources: Record<string, { content: string }>;
      settings: { evmVersion: string; viaIR: boolean; optimizer: { runs: number } };
    };
    expect(input.sources["project/contracts/PurchaseNFT.sol"]?.content).to.equal(
      readFileSync("contracts/PurchaseNFT.sol", "utf8"),
    );
    expect(input.settings).to.deep.include({ evmVersion: build.evmVersion, viaIR: build.viaIR });
    expect(Object.keys(input.sources).filter((name) => /test/.test(name))).to.deep.equal([]);
    expect(input.settings.optimizer.runs).to.equal(build.optimizerRuns.purchaseNft);
    expect(readFileSync(source("PurchaseNFT"), "utf8").trim(), "the same, kept").to.equal(nft?.sourceCode);

    expect(distributor?.contractaddress?.toLowerCase()).to.equal(DISTRIBUTOR);
    const values = decodeAbiParameters(
      parseAbiParameters("address, uint48, address, (uint96, uint96, uint112), address"),
      `0x${distributor?.constructorArguements}`,
    );
    expect(values.map((value) => String(value).toLowerCase())).to.deep.equal([
      ADMIN,
      "3600",
      NFT,
      Object.values(LIMITS).join(","),
      zeroAddress,
    ]);
  });

  it("succeeds if the explorer already has them, at the start or at the end", async () => {
    explorer.answer = ({ action, contractaddress }) => {
      if (action === "checkverifystatus") return { status: "0", result: "Already Verified" };
      const isKnown = contractaddress?.toLowerCase() === NFT;
      return isKnown
        ? { status: "0", result: "Contract source code already verified" }
        : { status: "1", result: "guid" };
    };
    expect(await verify()).to.deep.equal({
      code: 0,
      lines: ["✓ PurchaseNFT: verified before", "✓ CashbackDistributor: verified", "✓ TicketDescriptor: verified"],
    });
  });

  it("reports why one is rejected, continues with the others, and keeps all sources", async () => {
    explorer.answer = ({ action, contractaddress }) => {
      if (action === "checkverifystatus") return { status: "0", result: "Fail - Unable to verify" };
      const isNft = contractaddress?.toLowerCase() === NFT;
      return isNft
        ? { status: "0", message: "NOTOK", result: "Invalid compiler version" }
        : { status: "1", result: "g" };
    };
    const { code, lines } = await verify();
    expect(code).to.equal(1);
    expect(lines).to.deep.equal([
      `✗ PurchaseNFT: not verified (Invalid compiler version); submit ${source("PurchaseNFT")} by hand`,
      `✗ CashbackDistributor: not verified (Fail - Unable to verify); submit ${source("CashbackDistributor")} by hand`,
      `✗ TicketDescriptor: not verified (Fail - Unable to verify); submit ${source("TicketDescriptor")} by hand`,
    ]);
    expect(existsSync(source("PurchaseNFT")) && existsSync(source("CashbackDistributor"))).to.equal(true);
  });

  it("keeps the sources if the explorer fails, responds with nonsense or is unavailable", async () => {
    explorer.answer = () => undefined;
    expect((await verify()).lines[0]).to.include("PurchaseNFT: not verified (the explorer answered 502); submit ");
    explorer.answer = () => ({ status: "1" }) as never;
    expect((await verify()).lines[0]).to.include("(the explorer's response is not in Etherscan's format)");
    mkdirSync(join(directory, "sources"), { recursive: true });
    rmSync(source("PurchaseNFT"));
    const gone = await verify("http://127.0.0.1:9/api");
    expect(gone.code).to.equal(1);
    expect(gone.lines.filter((line) => line.includes("by hand"))).to.have.length(3);
    expect(JSON.parse(readFileSync(source("PurchaseNFT"), "utf8"))).to.have.property("sources");
  });

  it("requires a deployment record", async () => {
    rmSync(join(directory, "spicy.json"));
    const { code, lines } = await verify();
    expect(code).to.equal(1);
    expect(lines[0]).to.include("spicy.json is missing; run `npm run deploy -- --network spicy`");
  });
});
