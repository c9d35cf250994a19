import { expect } from "chai";
import pino from "pino";
import { insertStore } from "../../core/catalogue/stores.ts";
import { noteChangedFact } from "../../core/database/changed-facts.ts";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { readDayShares } from "../../core/purchases/day-shares.ts";
import { purchaseEncoders } from "../../core/purchases/encoders.ts";
import { idsOf } from "../../core/rules/records.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { Dispatch } from "../../core/sender/dispatch.ts";
import type { Call, Encoder } from "../../core/sender/encoder.ts";
import { moveUnsent } from "../../core/sender/moves.ts";
import { PayoutSwitch } from "../../core/sender/payout-switch.ts";
import type { Operation } from "../../core/sender/queue.ts";
import type { SenderContext } from "../../core/sender/sender-context.ts";
import { RULES, reportOf, Shop } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";

describe("What is due to be sent", () => {
  onBothEngines(({ open }) => {
    it("has no payout while sales are still to be decided by other rules, and then has it", async () => {
      const { database } = await open();
      const shop = await Shop.open(database);
      const payer = await shop.buyer("a");
      await shop.read(reportOf(await shop.click(payer), { status: "approved", payable: true }));
      await shop.runUntil("pay");
      const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer, rules: RULES });
      const context = standIn<SenderContext>({
        options: {
          ...{ database, encoders, kinds: new Set(encoders.map(({ kind }) => kind)), batchSize: 10, batchAgeMs: 0 },
          ...{ payouts: new PayoutSwitch(database, false), log: pino({ level: "silent" }) },
        },
        status: {},
        part: (work: () => Promise<unknown>) => work(),
      });
      const dispatch = new Dispatch(context, standIn({}));
      const due = async () => (await dispatch.dueKinds()).map(({ encoder }) => encoder.kind);
      expect(await due()).to.deep.equal(["pay"]);
      await noteChangedFact(database.kysely, "sales");
      expect(await due()).to.deep.equal([]);
      await shop.plan();
      expect(await due()).to.deep.equal(["pay"]);
    });

    it("is paid to each account within its share of the day while another one waits, then the rest", async () => {
      const { database } = await open();
      const { kysely } = database;
      const shop = await Shop.open(database);
      const [first, second] = [await shop.buyer("a"), await shop.buyer("b")];
      const keys = { greedy: { network: "awin", account: "br" }, other: { network: "awin", account: "us" } };
      const store = { name: "Outra", country: "Brasil", ...keys.other, advertiser_id: "17000" };
      const stores = { greedy: shop.storeId, other: await insertStore(kysely, store) };
      shop.rules = { ...RULES, accounts: Object.values(keys) };
      const sell = async (name: keyof typeof keys, wallet: WalletAddress) => {
        const click = await shop.click(wallet, { groups: {}, defaultBps: 500n, bonusBps: 0n }, stores[name]);
        await shop.read(reportOf(click, { reais: 200, status: "approved", payable: true }), shop.rules, keys[name]);
      };
      for (let sale = 0; sale < 8; sale++) await sell("greedy", first);
      await sell("other", second);
      await shop.runUntil("pay");

      const sent: string[] = [];
      const capGwei = 100_000_000_000n;
      const dispatch = dispatchOf(database, {
        // Ten CHZ a payout, a hundred a day: 25 a share, of which two payouts fit.
        readAllowance: async (queries) => ({
          ...{ maxWeiPerCent: 10n ** 18n, maxPayout: capGwei, dayLeft: capGwei, dayEndsInMs: 1n, pool: capGwei },
          shares: await readDayShares(queries, capGwei),
        }),
        send: (operations) => sent.push(...operations.map(({ share_id }) => String(share_id))),
      });
      await dispatch.run(await dispatch.dueKinds(), [], HEAD);
      const books = await kysely.selectFrom("account_books").select(["id", "account"]).execute();
      const idOf = (account: string) => String(books.find((one) => one.account === account)?.id);
      const [greedy, other] = [idOf("br"), idOf("us")];
      expect(sent.toSorted()).to.deep.equal([greedy, greedy, other].toSorted());
      const waiting = await kysely
        .selectFrom("operations")
        .select(["reason", "error"])
        .where("status", "=", "waiting")
        .execute();
      expect(waiting.map(({ reason }) => reason)).to.deep.equal(Array(6).fill("day_cap"));
      expect(waiting[0]?.error).to.match(/^AboveDayShare: 10 CHZ is above the 5 CHZ left/);

      // Nobody else waits by now.
      sent.length = 0;
      const again = dispatchOf(database, { readAllowance: dispatch.readAllowance, send: dispatch.send });
      await again.run(await again.dueKinds(), [], HEAD);
      expect(sent).to.deep.equal(Array(6).fill(greedy));
      expect(
        await kysely.selectFrom("account_sent").select(["account_id", "gwei"]).orderBy("account_id").execute(),
      ).to.deep.equal([
        { account_id: BigInt(greedy), gwei: 80_000_000_000n },
        { account_id: BigInt(other), gwei: 10_000_000_000n },
      ]);
    });
  });
});

const HEAD = { number: 1n, baseFeeWei: 1n, nonce: 0n, balanceWei: 10n ** 24n };

type Ends = Required<Pick<Encoder, "readAllowance">> & { send(operations: readonly Operation[]): void };

/** A dispatch whose chain takes everything: `readAllowance` is its distributor, `send` its transmitter. */
function dispatchOf(database: Database, ends: Ends) {
  const encoders = purchaseEncoders({
    contracts: { purchaseNft: `0x${"1".repeat(40)}`, cashbackDistributor: `0x${"2".repeat(40)}` },
    client: standIn({}),
    payer: `0x${"3".repeat(40)}`,
    rules: RULES,
  })
    .filter(({ kind }) => kind === "pay")
    .map((encoder) => ({ ...encoder, listUnwanted: async () => [], readAllowance: ends.readAllowance }));
  const write = <T>(work: (queries: Queries) => Promise<T>) => inTransaction(database.kysely, work);
  const context = standIn<SenderContext>({
    options: {
      ...{ database, encoders, kinds: new Set(["pay"]), batchSize: 3, batchAgeMs: 0, blockMs: 0 },
      ...{ payouts: new PayoutSwitch(database, false), log: pino({ level: "silent" }) },
      client: { apart: () => ({ call: async () => ({}) }) },
    },
    status: { inFlight: 0, sentTransactions: 0 },
    withdrawUnwanted: async () => [],
    write,
    part: (work: () => Promise<unknown>) => work(),
  });
  const transmitter = {
    signAndStore: (_call: unknown, operations: readonly Operation[], _head: unknown, options: SignOptions) =>
      write(async (queries) => {
        await options.encodeAgain(queries);
        await moveUnsent(queries, idsOf(operations), { to: "done" });
        ends.send(operations);
        return { hash: "0x1", raw: "0x1", nonce: 0n };
      }),
    send: async () => {},
  };
  return Object.assign(new Dispatch(context, standIn(transmitter)), ends);
}

type SignOptions = { encodeAgain(queries: Queries): Promise<Call> };
