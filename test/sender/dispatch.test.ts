import { expect } from "chai";
import pino from "pino";
import { insertStore } from "../../core/catalogue/store-rows.ts";
import { noteChangedFact } from "../../core/database/changed-facts.ts";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { keySigner } from "../../core/process/signer.ts";
import { purchaseEncoders, readDayShares } from "../../core/purchases/encoders.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { openAccount } from "../../core/sender/account.ts";
import { Dispatch } from "../../core/sender/dispatch.ts";
import type { Encoder } from "../../core/sender/encoder.ts";
import { PayoutSwitch } from "../../core/sender/payout-switch.ts";
import type { SenderContext } from "../../core/sender/sender-context.ts";
import { Transmitter } from "../../core/sender/transactions.ts";
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

      const capGwei = 100_000_000_000n;
      const dispatch = dispatchOf(database, {
        // Ten CHZ a payout, a hundred a day: 25 a share, of which two payouts fit.
        readAllowance: async (queries) => ({
          ...{ maxWeiPerCent: 10n ** 18n, maxPayout: capGwei, dayLeft: capGwei, dayEndsInMs: 1n, pool: capGwei },
          shares: await readDayShares(queries, capGwei),
        }),
      });
      await dispatch.run(await dispatch.dueKinds(), [], HEAD);
      const books = await kysely.selectFrom("account_books").select(["id", "account"]).execute();
      const idOf = (account: string) => String(books.find((one) => one.account === account)?.id);
      const [greedy, other] = [idOf("br"), idOf("us")];
      expect((await listSent(database)).toSorted()).to.deep.equal([greedy, greedy, other].toSorted());
      const waiting = await kysely
        .selectFrom("operations")
        .select(["reason", "error"])
        .where("status", "=", "waiting")
        .execute();
      expect(waiting.map(({ reason }) => reason)).to.deep.equal(Array(6).fill("day_cap"));
      expect(waiting[0]?.error).to.match(/^AboveDayShare: 10 CHZ is above the 5 CHZ left/);

      // Nobody else waits by now.
      const again = dispatchOf(database, dispatch);
      await again.run(await again.dueKinds(), [], HEAD);
      expect((await listSent(database)).toSorted()).to.deep.equal([...Array(8).fill(greedy), other].toSorted());
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

type Ends = Required<Pick<Encoder, "readAllowance">>;

/** A dispatch whose chain takes everything; `readAllowance` is its distributor. */
function dispatchOf(database: Database, { readAllowance }: Ends) {
  const account = openAccount(keySigner(`0x${"5".repeat(64)}`));
  const encoders = purchaseEncoders({
    contracts: { purchaseNft: `0x${"1".repeat(40)}`, cashbackDistributor: `0x${"2".repeat(40)}` },
    client: standIn({}),
    payer: account.address,
    rules: RULES,
  })
    .filter(({ kind }) => kind === "pay")
    .map((encoder) => ({ ...encoder, listUnwanted: async () => [], readAllowance }));
  const context = standIn<SenderContext>({
    options: {
      ...{ database, encoders, kinds: new Set(["pay"]), batchSize: 3, batchAgeMs: 0, blockMs: 0 },
      ...{ payouts: new PayoutSwitch(database, false), log: pino({ level: "silent" }) },
      ...{ account, chainId: 88_882, maxFeeGwei: 10_000 },
      client: { apart: () => ({ call: async () => ({}), sendRawTransaction: async () => "0x1" }) },
    },
    wallet: account.address,
    status: { inFlight: 0, sentTransactions: 0 },
    write: <T>(work: (queries: Queries) => Promise<T>) => inTransaction(database.kysely, work),
    part: (work: () => Promise<unknown>) => work(),
  });
  return Object.assign(new Dispatch(context, new Transmitter(context)), { readAllowance });
}

/** Whose payouts are in transactions. */
async function listSent({ kysely }: Database): Promise<string[]> {
  const sent = await kysely.selectFrom("operations").select("share_id").where("status", "=", "assigned").execute();
  return sent.map(({ share_id }) => String(share_id));
}
