import { execFile } from "node:child_process";
import { expect } from "chai";
import { encodeFunctionData, type Hex, numberToHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { auditHeadText, readAuditHead } from "../../core/database/audit-log.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { MIGRATIONS, migrate } from "../../core/database/migrate.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { openLog } from "../../core/process/log.ts";
import { openChain } from "../../core/process/rpc/chain-client.ts";
import { DatabaseChainMemory } from "../../core/process/rpc/node-proof.ts";
import { reconcile } from "../../core/reconcile/reconcile.ts";
import { acceptUnclaimed } from "../../core/reconcile/unclaimed.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { enqueue } from "../../core/sender/queue.ts";
import { runReconcile } from "../../scripts/reconcile.ts";
import { runRestored } from "../../scripts/restored.ts";
import { commandHere } from "../testing/command-here.ts";
import { until } from "../testing/until.ts";
import { WIDER } from "../upgrade/wider.ts";
import type { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { confirm, mint } from "./support/live-purchase.ts";
import { onBothSystems } from "./support/system.ts";

/** anvil's first account, the operator of the local chain. */
const OPERATOR_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const OPERATOR = privateKeyToAddress(OPERATOR_KEY).toLowerCase() as WalletAddress;
const STRANGER = "0x00000000000000000000000000000000000000ab";

type Queries = Database["kysely"];

const ENVIRONMENT = { RECONCILE_INTERVAL_SECONDS: "1", SIMULATED_STEP_DELAY_MS: "3600000" };

onBothSystems("Reconciliation @deep", ENVIRONMENT, (system) => {
  let buyer: Caller;
  let kysely: Queries;
  /** Minted, confirmed and paid; minted only; registered only. */
  let [paid, pending, registered] = [0, 0, 0];

  before(async () => {
    kysely = (await system().database()).kysely;
    buyer = await system().user();
    [paid, pending, registered] = [await buyer.buy(), await buyer.buy(), await buyer.buy()];
    for (const id of [paid, pending]) await mint(buyer, id);
    const service = system().service();
    await service.post("/api/confirm-purchase", { purchase_id: paid });
    await buyer.seen(paid, (one) => one.status === "confirmed");
    await service.post("/api/distribute-cashback", { user: buyer.address, amount: 5 });
    await buyer.seen(paid, (one) => one.cashback_state === "paid");
    // Nothing may act on the rows injected below.
    await system().stopApi("SIGTERM");
  });

  const outcomeIn = async (database: Database) => {
    const { deployment, anvil } = system();
    const { client } = await openChain({
      network: "localhost",
      urls: [anvil.rpcUrl],
      chainId: 88_882,
      log: openLog("silent"),
      contract: deployment.purchaseNft.address,
      memory: new DatabaseChainMemory(88_882, { database }),
    });
    return reconcile({
      database,
      client,
      contracts: {
        purchaseNft: deployment.purchaseNft.address.toLowerCase() as WalletAddress,
        cashbackDistributor: deployment.cashbackDistributor.address.toLowerCase() as WalletAddress,
      },
      keys: [{ name: "operator", address: OPERATOR }],
      startBlock: BigInt(deployment.block),
    });
  };
  /** With the differences as sentences. */
  const compare = async () => {
    const result = await outcomeIn(await system().database());
    if (result.outcome === "cannot say") throw new Error(result.reason);
    return { ...result, differences: result.differences.map((one) => one.text) };
  };
  const reasonOf = async (database: Database) => {
    const result = await outcomeIn(database);
    return result.outcome === "cannot say" ? result.reason : result.outcome;
  };
  const script = (name: string) =>
    new Promise<{ code: number | null; output: string }>((resolve) => {
      const env = { ...process.env, ...system().environment };
      const child = execFile(process.execPath, [name], { env }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, output: stdout + stderr }),
      );
    });
  const command = (args: readonly string[] = [], more: Record<string, string> = {}) =>
    commandHere(runReconcile, args, { ...system().environment, ...more }).ended;
  const restored = async (...args: string[]) => {
    const { code, output } = await commandHere(runRestored, args, system().environment).ended;
    return { code, output };
  };
  const payout = () =>
    kysely.selectFrom("payouts").selectAll().where("token_id", "=", BigInt(paid)).executeTakeFirstOrThrow();
  const nft = (id: number) =>
    kysely.selectFrom("nfts").selectAll().where("token_id", "=", BigInt(id)).executeTakeFirstOrThrow();

  // What one test paused is none of the next one's.
  afterEach(() => resume(kysely));

  it("finds no difference if there is none, and exits with 0", async () => {
    const { differences, tokens } = await compare();
    expect(differences).to.deep.equal([]);
    expect(tokens).to.equal(2);
    const { code, output } = await script("scripts/reconcile.ts");
    expect([code, output]).to.deep.equal([0, output]);
    expect(output).to.match(/^✓ Database and chain agree: 2 tokens at block \d+$/m);
  });

  describe("finds in the database", () => {
    /** Changes rows, reconciles, and restores them. */
    const withRows = async (change: () => Promise<unknown>, undo: () => Promise<unknown>, expected: RegExp[]) => {
      await change();
      try {
        const { differences } = await compare();
        for (const sentence of expected) expect(differences.join("\n")).to.match(sentence);
        expect(differences, differences.join("\n")).to.have.length(expected.length);
      } finally {
        await undo();
      }
    };

    after("and nothing any more", async () => expect((await compare()).differences).to.deep.equal([]));

    it("a missing token", async () => {
      const row = await nft(pending);
      await withRows(
        () => kysely.deleteFrom("nfts").where("token_id", "=", row.token_id).execute(),
        () => kysely.insertInto("nfts").values(row).execute(),
        [new RegExp(`^Token ${pending} is on the chain, but not in the index$`, "m")],
      );
    });

    it("a missing token that was paid: the token, and its payout", async () => {
      const row = await nft(paid);
      await withRows(
        () => kysely.deleteFrom("nfts").where("token_id", "=", row.token_id).execute(),
        () => kysely.insertInto("nfts").values(row).execute(),
        [
          new RegExp(`^Token ${paid} is on the chain, but not in the index$`, "m"),
          new RegExp(`^Purchase ${paid} is paid, but has no token$`, "m"),
        ],
      );
    });

    it("a token that the chain does not have", async () => {
      const row = { ...(await nft(pending)), token_id: BigInt(registered) };
      await withRows(
        () => kysely.insertInto("nfts").values(row).execute(),
        () => kysely.deleteFrom("nfts").where("token_id", "=", row.token_id).execute(),
        [new RegExp(`^Token ${registered} is in the index, but not on the chain$`, "m")],
      );
    });

    const columns: [string, Record<string, bigint | string>, RegExp[]][] = [
      ["status", { status: BigInt(CHAIN_STATUS.confirmed) }, [/: status is 2 in the index and 1 on the chain/]],
      ["owner", { owner: STRANGER }, [/: buyer is 0x0+ab in the index/, /was minted on other terms/]],
      ["value", { value_cents: 10_001n }, [/: value in cents is 10001 .* and 10000 on/, /was minted on other terms/]],
      ["percent", { cashback_bps: 501n }, [/: cashback is 501 .* and 500 on/, /was minted on other terms/]],
      ["bonus", { bonus_bps: 1n }, [/: bonus is 1 .* and 0 on/, /was minted on other terms/]],
      ["store", { store_id: 2n }, [/: store is 2 .* and 1 on/]],
    ];
    for (const [name, change, expected] of columns) {
      it(`a token with another ${name}`, async () => {
        const row = await nft(pending);
        const update = (values: Record<string, unknown>) =>
          kysely.updateTable("nfts").set(values).where("token_id", "=", row.token_id).execute();
        await withRows(
          () => update(change),
          () => update(row),
          expected,
        );
      });
    }

    it("a purchase whose terms differ from its token's", async () => {
      const update = (amount_cents: bigint) =>
        kysely.updateTable("purchases").set({ amount_cents }).where("id", "=", BigInt(pending)).execute();
      await withRows(
        () => update(99_999n),
        () => update(10_000n),
        [new RegExp(`^Token ${pending} was minted on other terms than purchase ${pending} was registered on$`, "m")],
      );
    });

    it("a ticket with a reference that its purchase does not have", async () => {
      const update = (sale_ref: bigint) =>
        kysely.updateTable("purchases").set({ sale_ref }).where("id", "=", BigInt(pending)).execute();
      await withRows(
        () => update(7n),
        () => update(0n),
        [new RegExp(`^Token ${pending} was minted on other terms than purchase ${pending} was registered on$`, "m")],
      );
    });

    it("a ticket without a purchase, until an operator knows it", async () => {
      const renumber = (from: number, to: number) =>
        kysely
          .updateTable("purchases")
          .set({ id: BigInt(to) })
          .where("id", "=", BigInt(from))
          .execute();
      const elsewhere = 9_000;
      await withRows(
        () => renumber(pending, elsewhere),
        () => renumber(elsewhere, pending),
        [new RegExp(`^Ticket ${pending} has no purchase$`, "m")],
      );
      const contracts = { purchaseNft: system().deployment.purchaseNft.address.toLowerCase() as WalletAddress };
      await renumber(pending, elsewhere);
      const { minted_block } = await nft(pending);
      await acceptUnclaimed(kysely, contracts, minted_block - 1n);
      expect((await compare()).differences, "a later one").to.have.length(1);
      const unknown = await command();
      expect([unknown.code, unknown.output]).to.deep.equal([1, unknown.output]);
      expect(unknown.output).to.include("! Tickets without a purchase: docs/runbook/database-lost.md");
      await acceptUnclaimed(kysely, contracts, minted_block);
      const accepted = await compare();
      expect([accepted.unclaimed, accepted.differences]).to.deep.equal([{ accepted: 1, unknown: 0 }, []]);
      const known = await command();
      expect([known.code, known.output]).to.deep.equal([0, known.output]);
      expect(known.output).to.include("  1 without a purchase, accepted by an operator\n").and.not.match(/^[!✗]/m);
      await acceptUnclaimed(kysely, contracts, -1n);
      await renumber(elsewhere, pending);
    });

    it("a ticket that carries the reference of a purchase and is not its", async () => {
      const row = await nft(pending);
      const refer = async (sale_ref: bigint) => {
        await kysely.updateTable("purchases").set({ sale_ref }).where("id", "=", BigInt(registered)).execute();
        await kysely.updateTable("nfts").set({ sale_ref }).where("token_id", "=", row.token_id).execute();
      };
      await withRows(
        () => refer(7n),
        () => refer(0n),
        [
          new RegExp(`^Token ${pending} was minted on other terms than purchase ${pending} was registered on$`, "m"),
          new RegExp(`^Ticket ${pending} carries the reference of purchase ${registered}'s sale, and is not its`, "m"),
        ],
      );
    });

    it("nothing that the indexer repairs when it reads the chain again", async () => {
      const row = await nft(paid);
      await kysely
        .deleteFrom("chain_events")
        .where("token_id", "=", row.token_id)
        .where("kind", "=", "StatusUpdated")
        .execute();
      await kysely.updateTable("nfts").set({ status: 1n }).where("token_id", "=", row.token_id).execute();
      expect((await compare()).differences).to.deep.equal([]);
      expect(await nft(paid)).to.deep.equal(row);
    });

    it("a missing payout", async () => {
      const row = await payout();
      await withRows(
        () => kysely.deleteFrom("payouts").where("token_id", "=", row.token_id).execute(),
        () => kysely.insertInto("payouts").values(row).execute(),
        [new RegExp(`^Purchase ${paid} is paid on the chain, and not in the index$`, "m")],
      );
    });

    it("a payout that never happened", async () => {
      const row = { ...(await payout()), token_id: BigInt(pending) };
      await withRows(
        () => kysely.insertInto("payouts").values(row).execute(),
        () => kysely.deleteFrom("payouts").where("token_id", "=", row.token_id).execute(),
        [new RegExp(`^Purchase ${pending} is not paid on the chain, and in the index$`, "m")],
      );
    });

    it("a payout whose amount differs by a gwei", async () => {
      const row = await payout();
      const update = (amount_gwei: bigint) =>
        kysely.updateTable("payouts").set({ amount_gwei }).where("token_id", "=", row.token_id).execute();
      await withRows(
        () => update(row.amount_gwei + 1n),
        () => update(row.amount_gwei),
        [new RegExp(`^Purchase ${paid} was paid another amount than the outbox asked for$`, "m")],
      );
    });

    it("a nonce that is recorded as final but not on the chain", async () => {
      const last = await kysely
        .selectFrom("transactions")
        .selectAll()
        .orderBy("nonce", "desc")
        .limit(1)
        .executeTakeFirstOrThrow();
      // In a block that the chain does not have; otherwise the node would contradict itself.
      const { id: _id, ...row } = { ...last, nonce: 9_999n, status: "confirmed" as const, block_hash: "0x9" };
      await withRows(
        () => kysely.insertInto("transactions").values(row).execute(),
        () => kysely.deleteFrom("transactions").where("nonce", "=", 9_999n).execute(),
        [/^The chain has \d+ transactions of the operator, but nonce 9999 counts as final here$/m],
      );
    });
  });

  describe("finds on the chain", () => {
    it("a distributor that holds less or more than it must, by a wei (F42)", async () => {
      const { anvil, deployment } = system();
      const { address } = deployment.cashbackDistributor;
      const balance = BigInt(await anvil.request<Hex>("eth_getBalance", address, "latest"));
      const set = async (value: bigint) => {
        await anvil.request("anvil_setBalance", address, numberToHex(value));
        // Balances are read at a block; the index must have reached one that includes the transfer.
        await anvil.request("anvil_mine", numberToHex(1));
        const head = BigInt(await anvil.request<Hex>("eth_blockNumber"));
        await until("the index has reached it", async () => {
          const cursor = await kysely.selectFrom("chain_cursor").select("block_number").executeTakeFirstOrThrow();
          return cursor.block_number >= head;
        });
      };
      await set(balance - 1n);
      const less = await compare();
      expect(less).to.include({ outcome: "shortfall", surplusWei: 0n });
      expect(less.differences.join()).to.match(/^The distributor holds 0\.000000000000000001 CHZ less than/);
      const shortfall = await command();
      expect(shortfall.code, shortfall.output).to.equal(2);
      expect(await pausedBy(kysely)).to.match(/CHZ less than/);
      await resume(kysely);

      await set(balance + 1n);
      expect(await compare()).to.include({ outcome: "surplus", surplusWei: 1n });
      expect((await compare()).differences).to.deep.equal([]);
      const surplus = await command();
      expect(surplus.code, surplus.output).to.equal(4);
      expect(surplus.output).to.match(/^! Surplus: the distributor holds 0\.000000000000000001 CHZ more/m);
      expect(await pausedBy(kysely), "a surplus pauses nothing").to.equal("");
      await set(balance);
      expect(await compare()).to.include({ outcome: "agree", surplusWei: 0n });
    });

    it("a deposit that a stored sum lacks, because a node left it out", async () => {
      const { cashbackDistributor, block } = system().deployment;
      const stored = { contract: cashbackDistributor.address.toLowerCase(), block: block + 1, fundedWei: "7" };
      const value = JSON.stringify({ ...stored, sweptWei: "0", withdrawnWei: "0" });
      await writeSetting(kysely, "distributor_flows", value);
      expect(await compare()).to.include({ outcome: "agree", surplusWei: 0n });
    });

    it("transactions of the operator that are not ours, and names them until they are accepted (F43)", async () => {
      const { anvil } = system();
      await compare();
      const hashes: string[] = [];
      for (let count = 0; count < 3; count++) {
        const transaction = { from: OPERATOR, to: STRANGER, value: "0x1" };
        hashes.push(await anvil.request<string>("eth_sendTransaction", transaction));
      }
      await anvil.request("anvil_mine", "0x1");
      const { outcome, foreign } = await compare();
      expect([outcome, foreign.map((one) => one.hash)]).to.deep.equal(["agree", hashes]);
      const { code, output } = await command();
      expect(code, output).to.equal(0);
      for (const hash of hashes) expect(output).to.contain(hash);
      expect(await pausedBy(kysely), "no nonce of ours was lost").to.equal("");
      const doctor = await script("scripts/doctor.ts");
      expect(doctor.output.match(/^! nonces: Another program used nonce \d+/gm)).to.have.length(3);
      await system().startApi();
      const { warnings } = (await system().anonymous().get("/readyz")).body;
      expect(warnings.filter((one: string) => /Another program used nonce \d+/.test(one))).to.have.length(3);
      const metrics = await (await fetch(`${system().url}/metrics`)).text();
      expect(metrics).to.match(/^torcida_foreign_transactions 3$/m);
      await system().stopApi("SIGTERM");
      expect((await command(["--accept"])).output).to.match(/3 foreign transactions are accepted/);
      expect((await compare()).foreign).to.deep.equal([]);
    });
  });

  describe("in a database that is older than the chain", () => {
    const nextId = (output: string) => Number(/purchase ids go on at (\d+)/.exec(output)?.[1]);

    it("says what it may still lack, recognises our own calls, skips ids once, and ends every session", async () => {
      const { anvil, deployment } = system();
      await anvil.request("evm_setIntervalMining", 0);
      await anvil.request("evm_setAutomine", false);
      const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "confirm", args: [[]] });
      const call = { from: OPERATOR, to: deployment.purchaseNft.address, data };
      const hash = await anvil.request<string>("eth_sendTransaction", call);
      const waiting = await restored();
      expect(waiting.code, waiting.output).to.equal(1);
      expect(waiting.output).to.match(/Nonce \d+ of the operator's key waits in a node and is not known here/);
      expect(await pausedBy(kysely)).to.equal("The database was moved back in time: npm run restored says what to do");
      expect(await kysely.selectFrom("sessions").selectAll().execute()).to.deep.equal([]);

      await anvil.request("evm_setAutomine", true);
      await anvil.request("evm_setIntervalMining", 1);
      await anvil.request("anvil_mine", "0x1");
      const done = await restored();
      expect(done.code, done.output).to.equal(0);
      expect(done.output).to.match(new RegExp(`does not know nonce \\d+ of the operator's key: confirm, ${hash}`));
      expect(nextId(waiting.output)).to.be.greaterThan(100_000);
      expect(nextId(done.output)).to.equal(nextId(waiting.output));
      expect((await restored()).output).to.include("0 transactions of ours were not known to the database");
      expect(await pausedBy(kysely)).to.match(/^The database was behind the chain: resume payouts/);
      await resume(kysely);
      const since = {
        token_hash: "since",
        wallet: buyer.address,
        kind: "nonce",
        created_at: 1n,
        last_seen_at: 1n,
      } as const;
      await kysely.insertInto("sessions").values(since).execute();
      await restored("--accept");
      expect(await kysely.selectFrom("sessions").selectAll().execute()).to.have.length(1);
      expect(await pausedBy(kysely), "accepting pauses nothing that a person resumed").to.equal("");
      expect((await compare()).foreign).to.deep.equal([]);
    });

    // docs/product.md#audit-log
    it("says that the backup lacks the end of its audit log", async () => {
      expect((await restored()).output).to.not.include("audit log");
      await writeSetting(kysely, "audit_head", auditHeadText(await readAuditHead(kysely)));
      const last = await kysely.selectFrom("audit_log").selectAll().orderBy("id", "desc").executeTakeFirstOrThrow();
      await kysely.deleteFrom("audit_log").where("id", "=", last.id).execute();
      const said = `! The audit log is not whole: its end was cut: ${last.id} ${last.hash} is gone. Compare it with another backup`;
      expect((await restored("--accept")).output).to.include(said);
    });

    // docs/upgrading.md#going-back
    it("says the same beside what a newer version has added", async () => {
      await migrate(await system().database(), [...MIGRATIONS, WIDER]);
      const compared = await command();
      expect(compared.code, compared.output).to.equal(0);
      const done = await restored();
      expect(done.code, done.output).to.equal(0);
      await restored("--accept");
    });
  });

  describe("when a difference remains", () => {
    it("exits with 1, lists each difference, and pauses payouts", async () => {
      const row = await nft(pending);
      await kysely
        .updateTable("nfts")
        .set({ status: 2n, owner: STRANGER })
        .where("token_id", "=", row.token_id)
        .execute();
      const { code, output } = await command();
      await kysely.updateTable("nfts").set(row).where("token_id", "=", row.token_id).execute();
      expect(code, output).to.equal(1);
      expect(output.match(/^✗ /gm)).to.have.length(3);
      expect(output).to.match(/^3 differences among 2 tokens at block \d+; payouts are paused/m);
      expect(await pausedBy(kysely)).to.match(/^Database and chain differ: Token/);
      expect((await command()).code, "clean again").to.equal(0);
      expect(await pausedBy(kysely), "until somebody resumes").to.match(/differ/);
      await resume(kysely);
    });

    it("cannot say if the index is empty, of other contracts, or not complete (F50)", async () => {
      const fresh = await connect(":memory:");
      try {
        await migrate(fresh);
        expect(await reasonOf(fresh)).to.match(/^The index is empty/);
        const source = await kysely.selectFrom("chain_source").selectAll().executeTakeFirstOrThrow();
        const cursor = await kysely.selectFrom("chain_cursor").selectAll().executeTakeFirstOrThrow();
        await fresh.kysely
          .insertInto("chain_source")
          .values({ ...source, purchase_nft: STRANGER })
          .execute();
        await fresh.kysely
          .insertInto("chain_cursor")
          .values({ ...cursor, block_number: 1n })
          .execute();
        expect(await reasonOf(fresh)).to.match(/^The index is of other contracts/);
        await fresh.kysely.updateTable("chain_source").set(source).execute();
        await system().anvil.request("anvil_mine", "0x20");
        expect(await reasonOf(fresh)).to.match(/^The index is not complete: it ends at block 1, the chain at \d+/);
      } finally {
        await fresh.close();
      }
    });

    it("exits with 3 and one sentence if the chain is unavailable", async () => {
      const { code, output } = await command([], { NETWORK: "localhost", RPC_URLS: "http://127.0.0.1:9" });
      expect(code).to.equal(3);
      expect(output).to.not.contain("agree");
      expect(await pausedBy(kysely), "no response is not a difference").to.equal("");
    });

    it("runs inside the api: a difference is counted, logged, and pauses payouts until an admin resumes", async () => {
      await system().startApi();
      const admin = await system().adminCaller();
      // Some of the tests above end every session.
      await buyer.enter();
      const metric = async (line: RegExp) => line.test(await (await fetch(`${system().url}/metrics`)).text());
      await until("it has compared", () => metric(/^torcida_reconcile_runs_total\{outcome="clean"\} [1-9]/m));
      await until("it found none", () => metric(/^torcida_reconcile_differences 0$/m));

      const late = await buyer.buy(3, 50);
      await mint(buyer, late);
      await system().service().post("/api/confirm-purchase", { purchase_id: late });
      await buyer.seen(late, (one) => one.status === "confirmed");
      // Each comparison includes what has just changed: the rest has its turn by slices of its ids.
      const row = await nft(late);
      await kysely.updateTable("nfts").set({ bonus_bps: 77n }).where("token_id", "=", row.token_id).execute();
      await until("it is counted", () => metric(/^torcida_reconcile_differences 2$/m));
      await until("it is counted", () => metric(/^torcida_reconcile_runs_total\{outcome="different"\} [1-9]/m));
      await until("payouts are paused", async () => (await pausedBy(kysely)) !== "");
      const payouts = await until("the panel says so", async () => {
        const { data } = (await admin.get("/api/admin/overview")).body;
        return data.payouts.paused && data.payouts;
      });
      expect(payouts.reason).to.match(/^Database and chain differ: Token \d+: bonus is 77 in the index/);
      const wish = { user: buyer.address, amount: 2 };
      expectRefusal(await system().service().post("/api/distribute-cashback", wish), 503, "PAYOUTS_PAUSED");
      expect(system().apiLog()).to.contain("Database and chain differ");

      await kysely.updateTable("nfts").set(row).where("token_id", "=", row.token_id).execute();
      await until("it agrees again", () => metric(/^torcida_reconcile_differences 0$/m));
      expectRefusal(await system().service().post("/api/distribute-cashback", wish), 503, "PAYOUTS_PAUSED");
      expect((await admin.post("/api/admin/payouts", { paused: false })).status).to.equal(200);
      expect((await system().service().post("/api/distribute-cashback", wish)).status).to.equal(202);
      await buyer.seen(late, (one) => one.cashback_state === "paid");
    });

    it("goes on after a stolen payer's key paid 1 wei, once an operator has accepted it", async () => {
      const victim = await buyer.buy(3, 50);
      await mint(buyer, victim);
      await confirm(system(), buyer, victim);
      const signed = kysely.selectFrom("transactions").select("nonce").where("status", "=", "signed");
      await until("all of ours have receipts", async () => (await signed.execute()).length === 0);
      await system().stopApi("SIGTERM");
      // Queued, and not sent yet.
      await inTransaction(kysely, (queries) =>
        enqueue(queries, [{ kind: "pay", subjectId: BigInt(victim), amountGwei: 2_000_000_000n }]),
      );
      const hash = await system().anvil.request<string>("eth_sendTransaction", {
        from: OPERATOR,
        to: system().deployment.cashbackDistributor.address,
        data: encodeFunctionData({
          abi: cashbackDistributorAbi,
          functionName: "pay",
          args: [BigInt(victim), 1n, 1n],
        }),
      });
      const paidOut = () =>
        kysely.selectFrom("payouts").select("amount_gwei").where("token_id", "=", BigInt(victim)).executeTakeFirst();
      expect(await until("the index has it", paidOut)).to.deep.equal({ amount_gwei: 1n });
      const { outcome, differences } = await compare();
      const odd = `Purchase ${victim} was paid another amount than the outbox asked for`;
      expect([outcome, differences]).to.deep.equal(["contradiction", [odd]]);

      const listed = await restored();
      const line = `Purchase ${victim} of ${buyer.address} was paid 0.000000001 CHZ, not 2: ${hash}`;
      expect(listed.output).to.include(line).and.to.include("Once you know each ticket and payout above");
      expect((await compare()).differences, "listed is not accepted").to.deep.equal([odd]);
      expect((await restored("--accept")).output).to.include(line);
      const accepted = await kysely.selectFrom("audit_log").select("detail").orderBy("id", "desc").executeTakeFirst();
      expect(accepted?.detail).to.match(/"payouts":1,"accepted":true/);
      expect((await restored()).output).to.not.include(line);

      expect(await compare()).to.deep.include({ outcome: "surplus", surplusWei: 999_999_999n, differences: [] });
      await resume(kysely);
      await system().startApi();
      await until("it has compared", async () =>
        /^torcida_reconcile_runs_total\{outcome="surplus"\} [1-9]/m.test(
          await (await fetch(`${system().url}/metrics`)).text(),
        ),
      );
      expect(await pausedBy(kysely)).to.equal("");
    });

    it("finds a token that somebody else minted for a purchase, with other terms", async () => {
      await system().stopApi("SIGTERM");
      const purchase = {
        buyer: STRANGER,
        id: BigInt(registered),
        valueCents: 10_000,
        baseBps: 500,
        bonusBps: 0,
        storeId: 1,
        saleRef: 0n,
      } as const;
      const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "mint", args: [purchase, ""] });
      await system().anvil.request("eth_sendTransaction", {
        from: OPERATOR,
        to: system().deployment.purchaseNft.address,
        data,
      });
      await until("the index has it", () => nft(registered));
      const { differences } = await compare();
      expect(differences).to.deep.equal([
        `Token ${registered} was minted on other terms than purchase ${registered} was registered on`,
      ]);
    });
  });
});

async function resume(kysely: Queries): Promise<void> {
  await kysely.updateTable("settings").set({ value: "" }).where("name", "=", "payouts_paused").execute();
}

async function pausedBy(kysely: Queries): Promise<string> {
  const row = await kysely
    .selectFrom("settings")
    .select("value")
    .where("name", "=", "payouts_paused")
    .executeTakeFirst();
  return row?.value ?? "";
}
