import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  formatEther,
  getAddress,
  type Hex,
  http,
  keccak256,
  toHex,
  zeroHash,
} from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../core/chain/chains.ts";
import type { Deployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { SAMPLE_STORES } from "../../core/rules/catalogue-samples.ts";
import { type RoleHolders, readDeployConfiguration } from "../../scripts/deploy/configuration.ts";
import { roleId, roleTable } from "../../scripts/deploy/roles.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { type DeployRun, deployHere, expectSecretsKept, startDeploy } from "../testing/deploy-run.ts";
import { until } from "../testing/until.ts";
import { cutOffAt, killAt } from "./support/interrupt-deploy.ts";
import { openRpcGate, type RpcCall, type RpcGate } from "./support/rpc-gate.ts";

const SITE_URL = "https://torcida.example/dashboard";
const LONG_MS = 300_000;
/** Three creations, eight roles and the distributor that is asked; the sample stores exist on the local chain only. */
const TRANSACTIONS = 3 + 8 + 1;
/** Reported by the gate itself, for a run that has ended. */

describe("npm run deploy", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let gate: RpcGate;
  let snapshot: string;
  let directory: string;
  const deployerKey = generatePrivateKey();
  const deployer = privateKeyToAccount(deployerKey);
  const client = () => createPublicClient({ chain: spicy, transport: http(anvil.rpcUrl) });

  before(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    gate = await openRpcGate(anvil.rpcUrl);
    await fund(deployer.address);
  });
  after(async () => {
    await gate?.stop();
    await anvil?.stop();
  });
  beforeEach(async () => {
    snapshot = await anvil.request("evm_snapshot");
    directory = mkdtempSync(join(tmpdir(), "torcida-deploy-"));
  });
  afterEach(async () => {
    gate.before = () => "pass";
    gate.sent.length = 0;
    await anvil.request("evm_setAutomine", true);
    await anvil.request("evm_revert", snapshot);
    rmSync(directory, { recursive: true, force: true });
  });

  const fund = (address: Address, chz = 1_000_000n) =>
    anvil.request("anvil_setBalance", address, toHex(chz * 10n ** 18n));
  const environment = (extra: Record<string, string> = {}) => ({
    DEPLOYMENTS_DIR: directory,
    RPC_URLS: gate.url,
    OPERATOR_PRIVATE_KEY: deployerKey,
    SITE_URL,
    ...extra,
  });
  type Extra = Record<string, string>;
  const start = (extra: Extra = {}, ...args: string[]) =>
    deployHere(["--network", "spicy", ...args], environment(extra));
  /** The script itself: what a process adds are its arguments, environment, streams and exit code, and that it can be killed. */
  const startScript = (extra: Extra = {}, ...args: string[]) =>
    startDeploy(["--network", "spicy", ...args], environment(extra));
  const run = async (extra: Extra = {}, ...args: string[]): Promise<DeployRun> =>
    keepingSecrets(extra, await start(extra, ...args).ended);
  const runScript = async (extra: Extra = {}, ...args: string[]): Promise<DeployRun> =>
    keepingSecrets(extra, await startScript(extra, ...args).ended);
  const keepingSecrets = (extra: Extra, result: DeployRun) => {
    expectSecretsKept(result.output, [deployerKey, gate.secret, ...Object.values(extra).filter(isKey)]);
    return result;
  };
  const deploy = async (extra: Record<string, string> = {}): Promise<DeployRun> => {
    const result = await run(extra);
    expect(result.code, result.output).to.equal(0);
    return result;
  };
  const record = () => JSON.parse(readFileSync(join(directory, "spicy.json"), "utf8")) as Deployment;
  const files = () => readdirSync(directory).sort();

  /** The results of a deployment, and the number of its transactions. */
  const outcome = async (roles = allHeldBy(deployer.address)) => {
    const { purchaseNft, cashbackDistributor } = record();
    const addresses = [purchaseNft.address, cashbackDistributor.address] as const;
    const table = roleTable(roles, ...addresses);
    return {
      addresses,
      code: await Promise.all(
        addresses.map(async (address) => keccak256((await client().getCode({ address })) ?? "0x")),
      ),
      roles: await Promise.all(table.map(({ contract, role, holder }) => holds(contract, roleId(role), holder))),
      stores: await Promise.all(SAMPLE_STORES.map((_, index) => storeName(purchaseNft.address, index + 1))),
      transactions: await client().getTransactionCount({ address: deployer.address }),
      files: files(),
    };
  };
  /** Deterministic for the same block and key, so one run is enough. */
  let whatItMakes: Awaited<ReturnType<typeof outcome>> | undefined;
  const undisturbed = async () => {
    if (whatItMakes) return whatItMakes;
    const before = await anvil.request<string>("evm_snapshot");
    await deploy();
    const expected = await outcome();
    await anvil.request("evm_revert", before);
    rmSync(directory, { recursive: true, force: true });
    gate.sent.length = 0;
    whatItMakes = expected;
    return expected;
  };
  const holds = (address: Address, role: Hex, holder: Address) =>
    client().readContract({ address, abi: purchaseNftAbi, functionName: "hasRole", args: [role, holder] });
  const storeName = (address: Address, id: number) =>
    client().readContract({ address, abi: purchaseNftAbi, functionName: "storeName", args: [id] });
  const send = async (account: PrivateKeyAccount, to: Address, data: Hex) => {
    const wallet = createWalletClient({ account, chain: spicy, transport: http(anvil.rpcUrl) });
    await client().waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, data }) });
  };

  it("leaves a record, both contracts, every role, no sample store, and changes nothing when run again", async () => {
    const { code, output } = await runScript();
    expect(code, output).to.equal(0);
    expect(output).to.include(`The record is ${join(directory, "spicy.json")}`);
    expect(output).to.include("Of SITE_URL only https://torcida.example counts");
    const { purchaseNft: tickets, cashbackDistributor: paying } = record();
    const view = (functionName: "siteUrl" | "distributor") =>
      client().readContract({ address: tickets.address, abi: purchaseNftAbi, functionName });
    expect(await view("siteUrl")).to.equal("https://torcida.example");
    expect(await view("distributor")).to.equal(paying.address);
    const first = await outcome();
    expect(first.roles).to.deep.equal(Array(8).fill(true));
    expect(first.stores).to.deep.equal(SAMPLE_STORES.map(() => ""));
    expect(first.transactions).to.equal(TRANSACTIONS);
    expect(first.files).to.deep.equal(["spicy.json"]);
    expect(record().block).to.equal(Number((await receiptOf(record().purchaseNft.transaction)).blockNumber));
    const text = JSON.stringify(record());
    await deploy();
    expect(await outcome()).to.deep.equal(first);
    expect(JSON.stringify(record())).to.equal(text);
  });
  const receiptOf = (hash: string) => client().getTransactionReceipt({ hash: hash as Hex });

  it("prints the cost in CHZ in a dry run, and neither signs nor writes anything", async () => {
    const { code, output } = await run({}, "--dry-run");
    expect(code, output).to.equal(0);
    expect(output).to.match(/^PurchaseNFT +\d{7} gas +\d+\.\d\d CHZ$/m);
    // The test's node asks for 2 gwei; no public one takes less than this.
    expect(output).to.match(/^in all +\d{7,8} gas +\d+\.\d\d CHZ at 2500 gwei$/m);
    expect(output).to.include(`The deployer ${deployer.address} has 1000000.00 CHZ. Nothing was sent.`);
    expect(gate.sent).to.deep.equal([]);
    expect(files()).to.deep.equal([]);

    const told = Number(/^in all +(\d+) gas/m.exec(output)?.[1]);
    await deploy();
    let used = 0;
    for (const block of await blocks()) used += Number(block.gasUsed);
    expect(told, "rounded up, but not by much").to.be.within(used, used * 1.4);
    expect((await run({}, "--dry-run")).output).to.equal(
      "There is already a record: a run would only add what is missing. Nothing was sent.\n",
    );
  });
  const blocks = async () => {
    const last = await client().getBlockNumber();
    const { blockNumber: first } = await receiptOf(record().ticketDescriptor.transaction);
    return Promise.all(
      Array.from({ length: Number(last - first) + 1 }, (_, index) =>
        client().getBlock({ blockNumber: first + BigInt(index) }),
      ),
    );
  };

  it("says in a dry run that the deployer has too little", async () => {
    const poor = generatePrivateKey();
    const { code, output } = await run({ OPERATOR_PRIVATE_KEY: poor }, "--dry-run");
    expect(code).to.equal(0);
    expect(output).to.include("has 0.00 CHZ: too little. Nothing was sent.");
  });

  describe("when it is killed and run again", () => {
    const kill = (count: number, isTaken: boolean) => killAt(gate, startScript, count, isTaken);
    const cutOff = (count: number, isTaken: boolean, onSend?: (nth: number) => Promise<unknown>) =>
      cutOffAt(gate, run, count, isTaken, onSend);
    const ENDS: [count: number, isTaken: boolean, end: typeof kill][] = [
      [1, false, cutOff],
      [1, true, kill],
      [2, false, cutOff],
      [2, true, cutOff],
      [3, false, kill],
      [3, true, cutOff],
      [TRANSACTIONS, false, cutOff],
      [TRANSACTIONS, true, cutOff],
    ];

    it("ends with the same deployment as an undisturbed run, with no transaction sent twice", async function () {
      this.timeout(LONG_MS);
      const expected = await undisturbed();
      for (const [count, isTaken, end] of ENDS) {
        const before = await anvil.request<string>("evm_snapshot");
        const where = `ended ${isTaken ? "after" : "before"} the node took transaction ${count}`;
        await end(count, isTaken);
        expect(existsSync(join(directory, "spicy.json")), where).to.equal(false);
        await deploy();
        expect(await outcome(), where).to.deep.equal(expected);
        expect(new Set(gate.sent).size, where).to.equal(gate.sent.length);
        await anvil.request("evm_revert", before);
        rmSync(directory, { recursive: true, force: true });
        gate.sent.length = 0;
      }
    });

    it("waits for pending transactions, and sends none of them again", async () => {
      const expected = await undisturbed();
      // The contracts are deployed; from there on nothing is mined.
      await cutOff(8, true, async (nth) => nth === 4 && (await anvil.request("evm_setAutomine", false)));
      expect(gate.sent).to.have.length(8);
      const second = start();
      await until("it waits", () => second.output().includes("5 transactions of the deployer are pending"));
      await anvil.request("evm_setAutomine", true);
      await anvil.request("evm_mine");
      expect((await second.ended).code, second.output()).to.equal(0);
      expect(await outcome()).to.deep.equal(expected);
      expect(new Set(gate.sent).size).to.equal(gate.sent.length);
    });

    it("sends the same bytes again if the node lost them", async () => {
      const expected = await undisturbed();
      await anvil.request("evm_setAutomine", false);
      await cutOff(1, true);
      await anvil.request("anvil_dropAllTransactions");
      await anvil.request("evm_setAutomine", true);
      expect((await deploy()).output).to.include("TicketDescriptor was pending");
      expect(gate.sent[1]).to.equal(gate.sent[0]);
      expect(await outcome()).to.deep.equal(expected);
    });
  });

  it("creates no second contract for another site after a kill, and names what was changed", async () => {
    await cutOffAt(gate, run, 2, true);
    const sent = [...gate.sent];
    const other = await run({ SITE_URL: "https://other.example" });
    expect(other.code, other.output).to.equal(1);
    expect(other.output).to.match(
      /^A second PurchaseNFT is not created: .* at 0x\w{40}, with other arguments: initialSiteUrl was https:\/\/torcida\.example and is https:\/\/other\.example now\. Set/m,
    );
    expect(gate.sent).to.deep.equal(sent);
    expect(files(), "nothing is forgotten").to.deep.equal([".spicy.journal.json"]);
    await deploy();
    expect(await outcome()).to.deep.equal(await undisturbed());
  });

  it("names a limit in which an interrupted creation differs", async () => {
    await cutOffAt(gate, run, 3, true);
    const { code, output } = await run({ MAX_PAYOUT_CHZ: "7" });
    expect(code, output).to.equal(1);
    expect(output).to.match(/A second CashbackDistributor .* initialLimits was \(maxWeiPerCent \d+, maxPayout 10000/);
    await deploy({ MAX_PAYOUT_CHZ: "10000" });
  });

  it("changes nothing of a standing deployment for other variables, and says who must call what", async () => {
    await deploy();
    const { purchaseNft, cashbackDistributor } = record();
    gate.sent.length = 0;
    const said = async (extra: Extra) => {
      const { code, output } = await run(extra);
      const lines = output.split("\n").filter((line) => line.startsWith("✗"));
      expect(code, output).to.equal(lines.length > 0 ? 1 : 0);
      return lines.map((line) => line.replace(/, data 0x[0-9a-f]+$/, ""));
    };
    expect(await said({ SITE_URL: "https://other.example", MAX_PAYOUT_CHZ: "7", DAILY_CAP_CHZ: "70" })).to.deep.equal([
      `✗ SITE_URL is https://other.example, and https://torcida.example at ${purchaseNft.address}: its admin ${deployer.address} must call setSiteUrl("https://other.example")`,
      ...["MAX_PAYOUT_CHZ is 7, and 10000", "DAILY_CAP_CHZ is 70, and 100000"].map(
        (what) =>
          `✗ ${what} at ${cashbackDistributor.address}: its admin ${deployer.address} must call setLimits((${40n * 10n ** 15n}, ${7n * 10n ** 18n}, ${70n * 10n ** 18n}))`,
      ),
    ]);
    const later = await said({ ADMIN_DELAY_SECONDS: "7200" });
    expect(later).to.have.length(2);
    expect(later[1]).to.include(
      `at ${cashbackDistributor.address}: its admin ${deployer.address} must call changeDefaultAdminDelay(7200)`,
    );
    expect(gate.sent).to.deep.equal([]);

    // The call that it names is the one that is missing.
    const data = /setSiteUrl.* data (0x[0-9a-f]+)/.exec((await run({ SITE_URL: "https://other.example" })).output)?.[1];
    await send(deployer, purchaseNft.address, (data ?? "0x") as Hex);
    expect(await said({ SITE_URL: "https://other.example" })).to.deep.equal([]);
  });

  it("is not misled by responses that are lost after the node accepted a transaction", async () => {
    const expected = await undisturbed();
    gate.before = ({ method }: RpcCall) => (method === "eth_sendRawTransaction" ? "lose-answer" : "pass");
    await deploy();
    expect(await outcome()).to.deep.equal(expected);
  });

  it("trusts nothing while its node is on another chain, and continues once it is back", async function () {
    this.timeout(LONG_MS);
    const expected = await undisturbed();
    let told = 0;
    gate.before = ({ method, params }: RpcCall) => {
      const isAway = gate.sent.length >= 2 && method === "eth_getBlockByNumber" && params[0] === "0x0";
      return isAway ? { result: { hash: `0x${(++told).toString(16).padStart(64, "a")}` } } : "pass";
    };
    const first = start({ RPC_URLS: `http://127.0.0.1:9,${gate.url}` });
    let isOver = false;
    void first.ended.then(() => {
      isOver = true;
    });
    await until("another chain has answered", () => told > 0 || isOver);
    await delay(1_000);
    expect([isOver, gate.sent.length], first.output()).to.deep.equal([false, 2]);
    gate.before = () => "pass";
    const { code, output } = await first.ended;
    expect(code, output).to.equal(0);
    expect(await outcome()).to.deep.equal(expected);
  });

  it("says when the deployer runs out of CHZ, and continues after a top-up", async () => {
    await anvil.request("anvil_setBalance", deployer.address, toHex(6n * 10n ** 15n));
    const { code, output } = await run();
    expect(code, output).to.equal(1);
    expect(output).to.include("The deployer has too little CHZ for gas");
    await fund(deployer.address);
    await deploy();
    expect((await outcome()).roles).to.deep.equal(Array(8).fill(true));
  });

  describe("refuses", () => {
    const refused = async (reason: string | RegExp, extra: Extra = {}, ...args: string[]) =>
      expectRefusal(reason, await run(extra, ...args));
    const expectRefusal = (reason: string | RegExp, { code, output }: DeployRun) => {
      expect(code, output).to.equal(1);
      expect(output).to.match(reason instanceof RegExp ? reason : new RegExp(reason));
      expect(output, "one sentence, not a stack").not.to.match(/^ +at /m);
      expect(gate.sent).to.deep.equal([]);
      expect(files()).to.deep.equal([]);
    };

    it("a chain that is older than Cancun", async () => {
      const old = await startAnvil({ manualBlocks: true, hardfork: "shanghai" });
      try {
        await old.request("anvil_setBalance", deployer.address, toHex(10n ** 24n));
        await refused(/spicy does not support MCOPY: the chain is older than Cancun, nothing was deployed/, {
          RPC_URLS: old.rpcUrl,
        });
      } finally {
        await old.stop();
      }
    });

    for (const [opcode, code] of [
      ["MCOPY", "0x5f5f5f5e00"],
      ["TLOAD", "0x5f5c5000"],
    ] as const) {
      it(`a node that lacks only ${opcode}`, async () => {
        gate.before = ({ method, params }: RpcCall) => {
          const isProbe = method === "eth_call" && (params[0] as { data?: string }).data === code;
          return isProbe ? { error: { code: -32_000, message: `invalid opcode: ${opcode}` } } : "pass";
        };
        for (const args of [[], ["--dry-run"]]) await refused(`does not support ${opcode}`, {}, ...args);
      });
    }

    it("a deployer without CHZ", async () => {
      const penniless = generatePrivateKey();
      await refused(/The deployer 0x\w{40} has no CHZ: send it some/, { OPERATOR_PRIVATE_KEY: penniless });
    });

    /** The command's messages about its variables, checked without a process for each. */
    const saysOf = (extra: Record<string, string>, network: "spicy" | "chiliz" = "spicy"): string => {
      try {
        readDeployConfiguration(network, environment(extra));
      } catch (error) {
        return (error as Error).message;
      }
      return "";
    };

    it("missing variables, all of them in one run", async () => {
      const missing = { OPERATOR_PRIVATE_KEY: "", SITE_URL: "" };
      expectRefusal(/OPERATOR_PRIVATE_KEY is missing[\s\S]*SITE_URL is missing/, await runScript(missing));
    });

    it("another chain than the network's", async () => {
      gate.before = ({ method }: RpcCall) => (method === "eth_chainId" ? { result: "0x15b38" } : "pass");
      await refused("is of chain 88888, not 88882; check RPC_URLS");
    });

    it("a node that does not respond", async () => {
      await refused(/No node of spicy answers: .*127\.0\.0\.1:9/, { RPC_URLS: "http://127.0.0.1:9/provider-key-5f2c" });
    });

    it("a well-known key, a missing one and an invalid one, without printing it", () => {
      const known = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
      for (const variable of ["OPERATOR_PRIVATE_KEY", "DEPLOYER_PRIVATE_KEY"]) {
        const said = saysOf({ [variable]: known });
        expect(said).to.include("test key that everyone knows");
        expectSecretsKept(said, [known]);
      }
      expect(saysOf({ OPERATOR_PRIVATE_KEY: "" })).to.match(/^OPERATOR_PRIVATE_KEY is missing: on spicy.*$/);
      for (const [more, sentence] of [
        [{ OPERATOR_ADDRESS: "0x12" }, /^OPERATOR_ADDRESS must be an address.*$/],
        [{ OPERATOR_SIGNER_URL: "http://127.0.0.1:9" }, /^OPERATOR_ADDRESS is missing: the account that.*$/],
      ] as const)
        expect(saysOf({ OPERATOR_PRIVATE_KEY: "", ...more }), "one sentence").to.match(sentence);
      const tooShort = generatePrivateKey().slice(0, -1);
      const said = saysOf({ OPERATOR_PRIVATE_KEY: tooShort });
      expect(said).to.include("OPERATOR_PRIVATE_KEY must be 0x and 64 hexadecimal digits");
      expectSecretsKept(said, [tooShort]);
    });

    it("invalid variables, each by its name", () => {
      expect(saysOf({ MINTER_ADDRESS: "0x12", SITE_URL: "torcida" })).to.match(/MINTER_ADDRESS [\s\S]*SITE_URL /);
      expect(saysOf({ RPC_URLS: "wss://spicy.example" })).to.include("RPC_URLS needs at least one http");
    });

    it("on mainnet, keys that are not separate from the operator's, each by its variable", async () => {
      const address = () => privateKeyToAccount(generatePrivateKey()).address;
      const apart = {
        DEPLOYER_PRIVATE_KEY: generatePrivateKey(),
        ADMIN_ADDRESS: address(),
        TREASURER_ADDRESS: address(),
        PAUSER_ADDRESS: address(),
      };
      const linesOf = (output: string) =>
        output.split("\n").filter((line) => line.includes("must be set, and to another than the operator"));
      const refusal = await deployHere(["--network", "chiliz", "--dry-run"], environment()).ended;
      expect(refusal.code, refusal.output).to.equal(1);
      expect(linesOf(refusal.output)).to.have.length(4);
      const mainnet = (extra: Record<string, string>) => linesOf(saysOf(extra, "chiliz"));
      for (const variable of Object.keys(apart) as (keyof typeof apart)[]) {
        const [line, ...others] = mainnet({ ...apart, [variable]: "" });
        expect(line).to.include(variable);
        expect(others).to.deep.equal([]);
      }
      for (const variable of ["ADMIN_ADDRESS", "TREASURER_ADDRESS", "PAUSER_ADDRESS"] as const) {
        expect(mainnet({ ...apart, [variable]: deployer.address })).to.have.length(1);
        const payer = address();
        expect(mainnet({ ...apart, [variable]: payer, PAYER_ADDRESS: payer })).to.have.length(1);
      }
      // With separate keys, the one node is refused, before it is asked anything.
      const alone = await deployHere(["--network", "chiliz"], environment(apart)).ended;
      expect(alone.code).to.equal(1);
      expect(alone.output).to.match(/^All nodes of RPC_URLS are on one host, 127\.0\.0\.1: .* ONE_NODE=accepted/);
      const accepted = environment({ ...apart, ONE_NODE: "accepted" });
      expect((await deployHere(["--network", "chiliz"], accepted).ended).output).to.include("is of chain 88882");
      // In a dry run, only the chain is still wrong: the test's chain is Spicy.
      const { output } = await deployHere(["--network", "chiliz", "--dry-run"], environment(apart)).ended;
      expect(output).to.include("is of chain 88882, not 88888");
    });

    it("on mainnet, one key for all cold roles, and an admin who need not wait", () => {
      const address = () => privateKeyToAccount(generatePrivateKey()).address;
      const [admin, treasurer, pauser] = [address(), address(), address()];
      const apart = {
        DEPLOYER_PRIVATE_KEY: generatePrivateKey(),
        ...{ ADMIN_ADDRESS: admin, TREASURER_ADDRESS: treasurer, PAUSER_ADDRESS: pauser },
      };
      expect(saysOf(apart, "chiliz")).to.equal("");
      const shared = "must be another than those of the other cold roles";
      expect(saysOf({ ...apart, TREASURER_ADDRESS: admin }, "chiliz")).to.include(`TREASURER_ADDRESS ${shared}`);
      expect(saysOf({ ...apart, TREASURER_ADDRESS: admin, PAUSER_ADDRESS: admin }, "chiliz"))
        .to.include(`TREASURER_ADDRESS ${shared}`)
        .and.to.include(`PAUSER_ADDRESS ${shared}`);
      for (const seconds of ["0", "86399"]) {
        expect(saysOf({ ...apart, ADMIN_DELAY_SECONDS: seconds }, "chiliz")).to.include(
          "ADMIN_DELAY_SECONDS must be at least 86400",
        );
      }
      expect(saysOf({ ...apart, ADMIN_DELAY_SECONDS: "86400" }, "chiliz")).to.equal("");
    });

    it("limits that the distributor would refuse after the tickets were deployed", () => {
      const above = (wei: bigint) => formatEther(wei);
      const cases: [Record<string, string>, string][] = [
        [
          { MAX_PAYOUT_CHZ: "1001", DAILY_CAP_CHZ: "1000" },
          "MAX_PAYOUT_CHZ must be at most the daily cap: 1001 CHZ is above 1000",
        ],
        [{ MAX_PAYOUT_CHZ: "0" }, "MAX_PAYOUT_CHZ must be above 0"],
        [{ MAX_PAYOUT_CHZ: above(2n ** 96n), DAILY_CAP_CHZ: above(2n ** 100n) }, "MAX_PAYOUT_CHZ must be below 2^96"],
        [{ DAILY_CAP_CHZ: above(2n ** 112n) }, "DAILY_CAP_CHZ must be below 2^112"],
        [{ MAX_WEI_PER_CENT: String(2n ** 96n) }, "MAX_WEI_PER_CENT must be below 2^96"],
      ];
      for (const [extra, said] of cases) expect(saysOf(extra), said).to.include(said);
      expect(saysOf({ MAX_PAYOUT_CHZ: "1000", DAILY_CAP_CHZ: "1000" })).to.equal("");
    });

    it("an unknown network", async () => {
      const { code, output } = await deployHere(["--network", "mumbai"], environment()).ended;
      expect(code).to.equal(1);
      expect(output).to.include("--network must be one of localhost, spicy, chiliz");
    });
  });

  it("does not deploy again if the recorded contract is gone, and says what to do", async () => {
    await deploy();
    await anvil.request("anvil_setCode", record().purchaseNft.address, "0x");
    gate.sent.length = 0;
    const { code, output } = await run();
    expect(code).to.equal(1);
    expect(output).to.include("where there is no code; move the record away to deploy again");
    expect(gate.sent).to.deep.equal([]);
  });

  describe("hands over", () => {
    const multisig = privateKeyToAccount(generatePrivateKey());
    const operatorKey = generatePrivateKey();
    const operator = privateKeyToAccount(operatorKey);
    const handOver = {
      DEPLOYER_PRIVATE_KEY: deployerKey,
      OPERATOR_PRIVATE_KEY: operatorKey,
      ADMIN_ADDRESS: multisig.address,
      ADMIN_DELAY_SECONDS: "3600",
    };
    const ask = (address: Address, functionName: "defaultAdmin" | "pendingDefaultAdmin") =>
      client().readContract({ address, abi: purchaseNftAbi, functionName });
    const accept = encodeFunctionData({ abi: purchaseNftAbi, functionName: "acceptDefaultAdminTransfer" });

    it("the administration to a multisig in two steps, and leaves the deployer without a role", async () => {
      await fund(multisig.address);
      const { output } = await deploy(handOver);
      expect(output).to.include(`offered to ${multisig.address}`);
      const { addresses, roles } = await outcome(allHeldBy(operator.address));
      expect(roles).to.deep.equal(Array(8).fill(true));
      expect((await outcome()).roles, "the deployer's").to.deep.equal(Array(8).fill(false));
      for (const address of addresses) {
        expect(await ask(address, "defaultAdmin")).to.equal(deployer.address);
        expect(((await ask(address, "pendingDefaultAdmin")) as readonly unknown[])[0]).to.equal(multisig.address);
      }
      const early = await run(handOver, "--check");
      expect(early.code).to.equal(1);
      expect(early.output).to.include(
        `✗ ${deployer.address} administers ${addresses[0]}, not yet ${multisig.address}, as is expected until that address accepts what it was offered`,
      );

      await refusesToAccept(addresses[0]);
      await anvil.request("evm_increaseTime", 3_601);
      await anvil.request("evm_mine");
      for (const address of addresses) await send(multisig, address, accept);
      for (const address of addresses) {
        expect(await ask(address, "defaultAdmin")).to.equal(multisig.address);
        expect(await holds(address, zeroHash, deployer.address)).to.equal(false);
      }
      gate.sent.length = 0;
      await deploy(handOver);
      expect(gate.sent, "nothing is left to do").to.deep.equal([]);
      const late = await run(handOver, "--check");
      expect(late.code, late.output).to.equal(0);
      expect(late.output).to.include(`✓ ${multisig.address} administers ${addresses[1]}`);
    });
    const refusesToAccept = async (address: Address) => {
      const early = await client()
        .simulateContract({
          account: multisig,
          address,
          abi: purchaseNftAbi,
          functionName: "acceptDefaultAdminTransfer",
        })
        .then(
          () => "accepted",
          (error: Error) => error.message,
        );
      expect(early).to.include("AccessControlEnforcedDefaultAdminDelay");
    };

    it("the hot roles of a deployer that is no longer the operator", async () => {
      await deploy();
      const { output } = await deploy({ ...handOver, ADMIN_ADDRESS: "" });
      const { purchaseNft, cashbackDistributor } = record();
      for (const { address } of [purchaseNft, cashbackDistributor]) {
        expect(output).to.include(`PAUSER_ROLE on ${address} granted to ${operator.address}`);
        expect(output).to.include(`PAUSER_ROLE on ${address} given up by the deployer`);
      }
      expect((await outcome()).roles).to.deep.equal(Array(8).fill(false));
      expect((await outcome(allHeldBy(operator.address))).roles).to.deep.equal(Array(8).fill(true));
    });
  });

  describe("--check", () => {
    let undeployed: string;
    let deployed: string;
    before(async () => {
      undeployed = await anvil.request("evm_snapshot");
      deployed = directory = mkdtempSync(join(tmpdir(), "torcida-deploy-"));
      await deploy();
    });
    beforeEach(() => cpSync(deployed, directory, { recursive: true }));
    after(async () => {
      await anvil.request("evm_revert", undeployed);
      rmSync(deployed, { recursive: true, force: true });
    });

    const check = async () => {
      gate.sent.length = 0;
      const result = await run({}, "--check");
      expect(gate.sent, "it sends nothing").to.deep.equal([]);
      return { ...result, bad: result.output.split("\n").filter((line) => line.startsWith("✗")) };
    };

    it("passes if everything is correct", async () => {
      const { code, bad, output } = await check();
      expect(bad).to.deep.equal([]);
      expect(code).to.equal(0);
      expect(output.match(/^✓ /gm)).to.have.length(1 + 3 + 1 + 2 + 8 + 2);
    });

    it("runs for anyone, without a key, with only the node's URL", async () => {
      const looked = await startDeploy(["--network", "spicy", "--check"], {
        DEPLOYMENTS_DIR: directory,
        RPC_URLS: gate.url,
      }).ended;
      expect(looked.code, looked.output).to.equal(0);
      expect(looked.output.match(/^✓ /gm)).to.have.length(1 + 3 + 1 + 2 + 8 + 2);
      expect(looked.output).to.include(
        `✓ ${deployer.address} holds PAYER_ROLE on ${record().cashbackDistributor.address}; set OPERATOR_PRIVATE_KEY to check whether it should`,
      );
    });

    it("says where the tickets link to, and fails if they ask another distributor whether they are paid", async () => {
      const { purchaseNft, cashbackDistributor } = record();
      const good = await check();
      expect(good.output).to.include("✓ the tickets link to https://torcida.example/ticket/…");
      expect(good.output).to.include(`✓ the tickets ask ${cashbackDistributor.address} whether they are paid`);
      const other = getAddress(`0x${"ab".repeat(20)}`);
      const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "setDistributor", args: [other] });
      await send(deployer, purchaseNft.address, data);
      const { code, bad } = await check();
      expect(code).to.equal(1);
      expect(bad).to.deep.equal([
        `✗ the tickets ask ${other} whether they are paid; its admin must call setDistributor(${cashbackDistributor.address})`,
      ]);
    });

    it("fails if one byte of the bytecode differs, or all of it is gone", async () => {
      const { purchaseNft, cashbackDistributor } = record();
      const code = (await client().getCode({ address: cashbackDistributor.address })) ?? "0x";
      const last = code.endsWith("0") ? "1" : "0";
      await anvil.request("anvil_setCode", cashbackDistributor.address, code.slice(0, -1) + last);
      const other = await check();
      expect(other.code).to.equal(1);
      expect(other.bad).to.deep.equal([
        `✗ CashbackDistributor at ${cashbackDistributor.address} does not match this source`,
      ]);
      await anvil.request("anvil_setCode", purchaseNft.address, "0x");
      const gone = await check();
      expect(gone.bad).to.include(`✗ PurchaseNFT at ${purchaseNft.address} has no code`);
    });

    it("fails if an immutable differs from the record", async () => {
      const changed = record();
      changed.cashbackDistributor.constructorArguments[2] = deployer.address;
      writeFileSync(join(directory, "spicy.json"), JSON.stringify(changed));
      expect((await check()).bad).to.have.length(1);
    });

    it("fails if the source differs", async () => {
      writeFileSync(
        join(directory, "spicy.json"),
        JSON.stringify({ ...record(), build: { ...record().build, sourceHash: "00".repeat(32) } }),
      );
      expect((await check()).bad).to.deep.equal(["✗ the recorded source 0000000000000000… is not this source"]);
    });

    it("fails if a role is missing, or has an unexpected holder", async () => {
      const { address } = record().cashbackDistributor;
      const thief = privateKeyToAccount(generatePrivateKey()).address;
      const call = (functionName: "grantRole" | "revokeRole", role: string, holder: Address) =>
        send(
          deployer,
          address,
          encodeFunctionData({ abi: purchaseNftAbi, functionName, args: [roleId(role), holder] }),
        );
      await call("grantRole", "PAYER_ROLE", thief);
      await call("revokeRole", "TREASURER_ROLE", deployer.address);
      const { code, bad } = await check();
      expect(code).to.equal(1);
      expect(bad).to.deep.equal([
        `✗ ${deployer.address} lacks TREASURER_ROLE on ${address}; its admin must call grantRole(${roleId("TREASURER_ROLE")}, ${deployer.address})`,
        `✗ ${thief} holds PAYER_ROLE on ${address} and should not; its admin must call revokeRole(${roleId("PAYER_ROLE")}, ${thief})`,
      ]);
    });

    it("never proposes a cold role for a server's key, where no variable names its holder", async () => {
      const someone = () => addressOf(generatePrivateKey());
      const [treasurer, pauser, minter, other] = [someone(), someone(), someone(), someone()] as const;
      const minterKey = generatePrivateKey();
      const server = { MINTER_PRIVATE_KEY: minterKey, MINTER_ADDRESS: "" };
      rmSync(join(directory, "spicy.json"));
      await deploy({ ...server, TREASURER_ADDRESS: treasurer, PAUSER_ADDRESS: pauser });
      const bad = async (extra: Extra) =>
        (await run({ ...server, ...extra }, "--check")).output.split("\n").filter((line) => line.startsWith("✗"));
      expect(await bad({})).to.deep.equal([]);
      const { purchaseNft, cashbackDistributor } = record();
      const nft = purchaseNft.address;
      // Who rotates a key names its new address beside the old key.
      const id = roleId("MINTER_ROLE");
      expect(await bad({ MINTER_ADDRESS: minter })).to.deep.equal([
        `✗ ${minter} lacks MINTER_ROLE on ${nft}; its admin must call grantRole(${id}, ${minter})`,
        `✗ ${addressOf(minterKey)} holds MINTER_ROLE on ${nft} and should not; its admin must call revokeRole(${id}, ${addressOf(minterKey)})`,
      ]);
      const call = (functionName: "grantRole" | "revokeRole", holder: Address) => {
        const data = encodeFunctionData({
          abi: purchaseNftAbi,
          functionName,
          args: [roleId("TREASURER_ROLE"), holder],
        });
        return send(deployer, cashbackDistributor.address, data);
      };
      await call("grantRole", other);
      await call("revokeRole", treasurer);
      const where = `TREASURER_ROLE on ${cashbackDistributor.address}`;
      const unless = "; if it was moved on purpose, set TREASURER_ADDRESS, otherwise its admin must call";
      expect(await bad({})).to.deep.equal([
        `✗ ${treasurer} lacks ${where}${unless} grantRole(${roleId("TREASURER_ROLE")}, ${treasurer})`,
        `✗ ${other} holds ${where} and should not${unless} revokeRole(${roleId("TREASURER_ROLE")}, ${other})`,
      ]);
    });

    it("names each limit, the site, the delay and each pause that is not as it was deployed or configured", async () => {
      const { purchaseNft, cashbackDistributor } = record();
      const [nft, distributor] = [purchaseNft.address, cashbackDistributor.address];
      const call = (to: Address, functionName: string, args: unknown[] = []) =>
        send(
          deployer,
          to,
          encodeFunctionData({
            abi: [...purchaseNftAbi, ...cashbackDistributorAbi] as Abi,
            functionName,
            args,
          }),
        );
      const most = 2n ** 96n - 1n;
      await call(distributor, "setLimits", [{ maxWeiPerCent: most, maxPayout: most, dailyCap: most }]);
      await call(nft, "setSiteUrl", ["https://phishing.example"]);
      await call(nft, "changeDefaultAdminDelay", [7_200]);
      for (const contract of [nft, distributor]) await call(contract, "pause");
      const { code, bad } = await check();
      expect(code).to.equal(1);
      const lines = bad.map((line) => line.replace(/, data 0x[0-9a-f]+$/, ""));
      const admin = deployer.address;
      const back = `its admin ${admin} must call setLimits((${40n * 10n ** 15n}, ${10n ** 22n}, ${10n ** 23n}))`;
      const wei = formatEther(most);
      expect(lines).to.deep.equal([
        `✗ ${nft} is paused; its admin must call unpause()`,
        `✗ ${distributor} is paused; its admin must call unpause()`,
        `✗ the delay of the administration of ${nft} will be 7200 s, not 3600; its admin must call rollbackDefaultAdminDelay()`,
        `✗ SITE_URL is https://torcida.example, and https://phishing.example at ${nft}: its admin ${admin} must call setSiteUrl("https://torcida.example")`,
        `✗ MAX_WEI_PER_CENT was ${40n * 10n ** 15n}, and ${most} at ${distributor}: ${back}`,
        `✗ MAX_PAYOUT_CHZ was 10000, and ${wei} at ${distributor}: ${back}`,
        `✗ DAILY_CAP_CHZ was 100000, and ${wei} at ${distributor}: ${back}`,
      ]);
    });

    it("fails if the admin role is offered to somebody else", async () => {
      await deploy();
      const { address } = record().purchaseNft;
      const thief = privateKeyToAccount(generatePrivateKey()).address;
      const functionName = "beginDefaultAdminTransfer";
      await send(deployer, address, encodeFunctionData({ abi: purchaseNftAbi, functionName, args: [thief] }));
      const { code, bad } = await check();
      expect(code).to.equal(1);
      expect(bad).to.deep.equal([`✗ the administration of ${address} is offered to ${thief}`]);
    });

    it("reads roles from a node that allows few blocks per call", async () => {
      await anvil.request("anvil_mine", toHex(2_100));
      let refusals = 0;
      gate.before = ({ method, params }: RpcCall) => {
        const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock: string; toBlock: string };
        if (method !== "eth_getLogs" || Number(toBlock) - Number(fromBlock) < 1_000) return "pass";
        refusals++;
        return { error: { code: -32_005, message: "query exceeds max block range 1000" } };
      };
      const { code, output } = await check();
      expect(code, output).to.equal(0);
      expect(refusals).to.be.greaterThan(2);
    });
  });
});

const addressOf = (key: Hex) => privateKeyToAccount(key).address;

function isKey(text: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(text);
}

function allHeldBy(holder: Address): RoleHolders {
  return { minter: holder, confirmer: holder, catalogue: holder, payer: holder, treasurer: holder, pauser: holder };
}
