import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { type Address, createPublicClient, encodeFunctionData, type Hex, http, parseEventLogs } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { connect } from "../../core/database/connect.ts";
import { LOCAL_TEST_KEY } from "../../core/process/known-keys.ts";
import { ownCallOf } from "../../core/sender/head-reader.ts";
import { roleId } from "../../scripts/deploy/roles.ts";
import { CONTRACTS_ADMIN, CONTRACTS_ADMIN_KEY, sendMined, storesNamed } from "../faults/support/contracts-admin.ts";
import { type Supervised, supervise } from "../faults/support/supervised.ts";
import { killAt } from "../system/support/interrupt-deploy.ts";
import { openRpcGate, type RpcGate } from "../system/support/rpc-gate.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { startDeploy } from "../testing/deploy-run.ts";
import { seedDatabase } from "../testing/deployed-chain.ts";
import { freePorts } from "../testing/free-port.ts";
import { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { deployFirstPair, FIRST, readRecord } from "./first-pair.ts";
import { signatures } from "./interfaces.ts";
import { INTERFACES } from "./release.ts";

const OPERATOR = privateKeyToAddress(LOCAL_TEST_KEY);
const REVERTS: Hex = "0x60006000fd";
const CHZ = 10n ** 18n;
const run = promisify(execFile);

describe("The contracts of 1.0.0", () => {
  it("are kept as 1.0.0 promised them, and every call and event of theirs is known for ever", () => {
    const { contracts } = JSON.parse(gunzipSync(readFileSync(INTERFACES)).toString());
    const today = { PurchaseNFT: signatures(purchaseNftAbi), CashbackDistributor: signatures(cashbackDistributorAbi) };
    for (const name of ["PurchaseNFT", "CashbackDistributor"] as const) {
      const kept = signatures(FIRST[name].abi);
      expect(kept).to.have.members(contracts[name]);
      expect(kept.filter((one) => !today[name].includes(one))).to.deep.equal([]);
    }
  });

  it("are told when our keys call them one by one, which this version does not", () => {
    const [nft, distributor] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`] as const;
    const [next, nextDistributor] = [`0x${"c3".repeat(20)}`, `0x${"d4".repeat(20)}`] as const;
    const contracts = {
      ...{ purchaseNft: next, formerPurchaseNfts: [nft] },
      ...{ cashbackDistributor: nextDistributor, formerDistributors: [distributor] },
    };
    const purchase = { id: 1n, buyer: nft, storeId: 1, valueCents: 1, cashbackBps: 1, bonusBps: 0, saleRef: 0n };
    const mint = encodeFunctionData({ ...FIRST.PurchaseNFT, functionName: "mint", args: [purchase, ""] });
    const pay = encodeFunctionData({ ...FIRST.CashbackDistributor, functionName: "pay", args: [1n, 1n, 1n] });
    for (const to of [nft, next]) expect(ownCallOf(contracts, { to, input: mint })).to.equal("mint");
    for (const to of [distributor, nextDistributor]) expect(ownCallOf(contracts, { to, input: pay })).to.equal("pay");
    expect(ownCallOf({ ...contracts, formerPurchaseNfts: [] }, { to: nft, input: mint })).to.equal(undefined);
  });
});

type Ticket = { contract: Address; paid?: { value?: unknown; rate_day?: unknown } | null };

/** docs/upgrading.md#another-pair, with the whole system and the money of its buyers. */
describe("The pair of 1.0.0, continued by this version's @deep", function () {
  this.timeout(400_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-first-pair-"));
  const deployments = join(folder, "deployments");
  let anvil: Anvil;
  let gate: RpcGate;
  let environment: Record<string, string>;
  let api: Supervised;
  let indexer: Supervised;
  const record = () => readRecord(deployments);
  const client = () => createPublicClient({ transport: http(anvil.rpcUrl) });

  before(async () => {
    anvil = await startAnvil();
    gate = await openRpcGate(anvil.rpcUrl);
    const first = await deployFirstPair(anvil, deployments, { adminKey: CONTRACTS_ADMIN_KEY, operator: OPERATOR });
    const [port = 0, indexerPort = 0] = await freePorts(2);
    environment = {
      ...{ PORT: String(port), INDEXER_PORT: String(indexerPort), HOST: "127.0.0.1", DATA_DIR: folder },
      ...{ DATABASE_URL: join(folder, "torcida.db"), DEPLOYMENTS_DIR: deployments, NETWORK: "localhost" },
      ...{ RPC_URLS: anvil.rpcUrl, SIMULATED_STEP_DELAY_MS: "50", HOLD_SECONDS: "0", RATE_LIMIT_SCALE: "100" },
    };
    await seedDatabase(environment.DATABASE_URL ?? "", folder, first);
    const url = `http://127.0.0.1:${port}`;
    api = supervise({ name: "api", script: "api/main.ts", url, environment });
    const indexerUrl = `http://127.0.0.1:${indexerPort}`;
    indexer = supervise({ name: "indexer", script: "indexer/main.ts", url: indexerUrl, environment });
    await startBoth();
    await storesNamed({ anvil, deployment: first, url });
  });
  after(async () => {
    await Promise.all([api?.stop("SIGKILL"), indexer?.stop("SIGKILL")]);
    await gate?.stop();
    await anvil?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const startBoth = async () => {
    indexer.start();
    api.start();
    await Promise.all([indexer.ready(), api.ready("/healthz")]);
  };
  const buyer = async () => {
    const shopper = new Shopper(api.url);
    await shopper.signUp();
    return shopper;
  };
  const byAdmin = (to: Address, functionName: string, args: unknown[] = [], abi: unknown = cashbackDistributorAbi) =>
    sendMined({ anvil }, { from: CONTRACTS_ADMIN, to, data: encodeFunctionData({ abi, functionName, args } as never) });
  const byOperator = (to: Address, functionName: "pause") =>
    sendMined(
      { anvil },
      { from: OPERATOR, to, data: encodeFunctionData({ abi: cashbackDistributorAbi, functionName }) },
    );
  const answer = async (path: string) => (await (await fetch(`${api.url}${path}`)).json()) as Record<string, unknown>;
  const ticket = async (id: number) => (await answer(`/api/nfts/${id}`)).data as Ticket | undefined;
  const payouts = async () => {
    const { cashbackDistributor, formerDistributors } = record();
    const address = [cashbackDistributor, ...formerDistributors].map((one) => one.address);
    const logs = await client().getLogs({ address, fromBlock: 0n });
    return parseEventLogs({ abi: cashbackDistributorAbi, logs, eventName: ["CashbackPaid", "CashbackDeferred"] })
      .map(({ args }) => Number(args.purchaseId))
      .sort((one, other) => one - other);
  };
  const prove = async (wallet: string) => {
    const { stdout } = await run(process.execPath, ["scripts/prove.ts", "--wallet", wallet, "--rpc", anvil.rpcUrl], {
      env: { ...process.env, ...environment },
    });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "null");
  };
  /** All that must be the same before and after, of chain and server. */
  const factsOf = async (buyers: readonly Shopper[], ids: readonly number[]) => ({
    tickets: await Promise.all(
      ids.map(async (id) => {
        const shown = await ticket(id);
        // What it was worth is told once the day's rate is stored, which may be later.
        const paid = shown?.paid && { ...shown.paid, value: undefined, rate_day: undefined };
        const at = { address: shown?.contract ?? "0x", abi: purchaseNftAbi, args: [BigInt(id)] } as const;
        const { cashbackDistributor } = record();
        const bits = { address: cashbackDistributor.address, abi: cashbackDistributorAbi, args: [BigInt(id)] } as const;
        return {
          id,
          shown: { ...shown, paid },
          owner: await client().readContract({ ...at, functionName: "ownerOf" }),
          isPaid: await client().readContract({ ...bits, functionName: "isPaid" }),
        };
      }),
    ),
    people: await Promise.all(
      buyers.map(async (one) => {
        const { totals, purchases, nfts } = await one.me();
        const steps = purchases.map(({ id, status, cashback_state, cashback_amount }) => [
          ...[id, status, cashback_state, cashback_amount],
        ]);
        const said = await answer(`/api/wallets/${one.address}/tickets`);
        const books = await answer(`/api/proof?wallet=${one.address}`);
        return { totals, steps, nfts, said, books, proof: await prove(one.address) };
      }),
    ),
    books: ((await answer("/api/books")).data as { paid: string }).paid,
  });

  it("keeps every owner, paid bit, total and proof, mints and pays on, and pays nobody twice", async () => {
    const first = record();
    const [oldTickets, oldDistributor] = [first.purchaseNft.address, first.cashbackDistributor.address];
    const [ana, refusing] = [await buyer(), await buyer()];
    await anvil.request("anvil_setCode", refusing.address, REVERTS);
    const ids = [await ana.buy(1, 100), await ana.buy(2, 50)];
    await ana.paid(ids);
    // The next are in another word of the paid bits.
    const database = await connect(environment.DATABASE_URL ?? "");
    await database.kysely.executeQuery({
      ...{ sql: "update sqlite_sequence set seq = 298 where name = 'purchases'", parameters: [] },
      ...{ query: { kind: "RawNode", sqlFragments: [], parameters: [] }, queryId: { queryId: "bump" } },
    } as never);
    await database.close();
    const far = await ana.buy(1, 100);
    expect(far).to.equal(299);
    const deferred = await refusing.buy(1, 100);
    await ana.paid([far]);
    await refusing.seen(deferred, (one) => one.cashback_state === "deferred");
    await byOperator(oldDistributor, "pause");
    const unpaid = [await ana.buy(1, 100), await ana.buy(3, 20)];
    for (const id of unpaid) await ana.seen(id, (one) => one.status === "confirmed");
    await byAdmin(oldTickets, "revokeRole", [roleId("CONFIRMER_ROLE"), OPERATOR], purchaseNftAbi);
    const pending = await ana.buy(1, 100);
    await ana.seen(pending, (one) => one.token_id !== null && one.status === "pending");
    const old = [...ids, far, deferred, ...unpaid, pending];
    const before = await factsOf([ana, refusing], old);
    expect(before.tickets.map(({ isPaid }) => isPaid)).to.deep.equal([true, true, true, true, false, false, false]);
    expect(await payouts()).to.deep.equal([...ids, far, deferred]);
    expect(await Promise.all([api.stop("SIGTERM"), indexer.stop("SIGTERM")])).to.deep.equal([0, 0]);
    await byAdmin(oldTickets, "grantRole", [roleId("CONFIRMER_ROLE"), OPERATOR], purchaseNftAbi);

    const deploy = () =>
      startDeploy(["--network", "localhost", "--successor-of-pair", oldTickets, "--retire"], {
        ...{ DEPLOYMENTS_DIR: deployments, RPC_URLS: gate.url, DEPLOYER_PRIVATE_KEY: CONTRACTS_ADMIN_KEY },
      });
    for (const [count, isTaken] of [
      [1, true],
      [3, true],
      [2, false],
      [2, true],
    ] as const) {
      await killAt(gate, deploy, count, isTaken);
      gate.sent.length = 0;
    }
    const { code, output } = await deploy().ended;
    expect(code, output).to.equal(0);
    const { purchaseNft, cashbackDistributor, formerPurchaseNfts } = record();
    expect(formerPurchaseNfts.map(({ address }) => address)).to.deep.equal([oldTickets]);
    const again = await deploy().ended;
    expect(again.code, again.output).to.equal(0);
    expect(record().purchaseNft.address, "nothing is made twice").to.equal(purchaseNft.address);

    await startBoth();
    const config = (await answer("/api/config")).data as Record<string, unknown>;
    expect(config.former_purchase_nfts).to.deep.equal([oldTickets.toLowerCase()]);
    // The pending one is confirmed at its own contract by now, or soon.
    await ana.seen(pending, (one) => one.status === "confirmed");
    const settled = await factsOf([ana, refusing], old);
    const without = (facts: typeof before) => ({
      books: facts.books,
      tickets: facts.tickets.filter(({ id }) => id !== pending),
      people: facts.people.map(({ steps, said, books, totals: { paid, count } }) => ({
        ...{ said, books, paid, count, steps: steps.filter(([id]) => id !== pending) },
      })),
    });
    expect(without(settled)).to.deep.equal(without(before));
    for (const [index, { proof }] of settled.people.entries()) {
      expect(proof.paid).to.equal(before.people[index]?.proof.paid);
      expect(proof.purchases).to.equal(before.people[index]?.proof.purchases);
    }
    for (const id of old) expect((await ticket(id))?.contract).to.equal(oldTickets.toLowerCase());

    // Its pause was taken over: now the new one pays.
    await byAdmin(cashbackDistributor.address, "unpause");
    const fresh = await ana.buy(1, 100);
    await until("a kill in between", async () => (await ticket(fresh)) !== undefined);
    await Promise.all([api.kill(), indexer.kill()]);
    await Promise.all([indexer.ready(), api.ready("/healthz")]);
    await ana.paid([...ids, far, ...unpaid, pending, fresh]);
    expect((await ticket(fresh))?.contract).to.equal(purchaseNft.address.toLowerCase());
    expect(await payouts()).to.deep.equal([...old, fresh].sort((one, other) => one - other));
    const image = await fetch(`${api.url}/api/nfts/${unpaid[0]}/image`);
    expect([image.status, await image.text()].join()).to.match(/^200,<svg/);

    // The credit is its owner's, at the old distributor.
    await anvil.request("anvil_setCode", refusing.address, "0x");
    await anvil.request("anvil_impersonateAccount", refusing.address);
    await anvil.request("anvil_setBalance", refusing.address, `0x${CHZ.toString(16)}`);
    const sink: Address = "0x00000000000000000000000000000000000051a4";
    const data = encodeFunctionData({ ...FIRST.CashbackDistributor, functionName: "withdrawCredit", args: [sink] });
    await sendMined({ anvil }, { from: refusing.address, to: oldDistributor, data });
    expect(await client().getBalance({ address: sink })).to.equal(5n * CHZ);

    const script = (path: string, ...args: string[]) =>
      run(process.execPath, [path, ...args], { env: { ...process.env, ...environment } }).then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }) => `${stdout}${stderr}`,
      );
    expect(await script("scripts/reconcile.ts", "--full")).to.include("✓ Database and chain agree");
    expect(await script("scripts/doctor.ts")).to.match(/is continued; 1\.0\.0 cannot follow/);
    for (const one of [ana, refusing]) expect((await prove(one.address)).matches, one.address).to.equal(true);
    const checked = await startDeploy(["--network", "localhost", "--check"], environment).ended;
    const bad = checked.output.split("\n").filter((line) => line.startsWith("✗"));
    expect(bad, checked.output).to.deep.equal([]);
  });
});
