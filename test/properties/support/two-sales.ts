import { expect } from "chai";
import { inAuditedTransaction } from "../../../core/database/audit-log.ts";
import type { Database } from "../../../core/database/connect.ts";
import { inTransaction, type Queries } from "../../../core/database/transaction.ts";
import { announceApprovals } from "../../../core/purchases/approvals.ts";
import { outstandingDebt } from "../../../core/purchases/debt.ts";
import { decideSales } from "../../../core/purchases/decide-sales.ts";
import { stepNow } from "../../../core/purchases/next-step.ts";
import { decideApprovals, holdPurchase, releasePurchase } from "../../../core/purchases/staff.ts";
import { findWrongPayments } from "../../../core/purchases/wrong-payments.ts";
import type { SaleReport } from "../../../core/rules/sale/report.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { releaseSale } from "../../../core/sales/decisions.ts";
import { RULES, reportOf, Shop } from "../../sales/support/shop.ts";
import { copyDatabase, type DatabaseCopy, putBack } from "../../testing/database-copy.ts";
import { OrderOracle } from "./order-oracle.ts";

const SAYS = {
  pending: { status: "pending", reais: 100 },
  approved: { status: "approved", reais: 100 },
  less: { status: "approved", reais: 40 },
  declined: { status: "declined", reais: 100 },
} as const;
const CHZ_OF_REAIS = 50_000_000n;

type Word = keyof typeof SAYS;
/** In this order. */
const READ_AGAIN = [1, 0];
const SALES = [1, 2] as const;
type Number = (typeof SALES)[number];
/**
 * `hold`, `release`: a person does; `agree`, `refuse`: a second one, about what waits for them. `confirm`: the chain goes on
 * up to a confirmation, `queue`: what is next is queued, `pay`: all that can happen happens.
 */
export type Act = `${Number} ${Word | "hold" | "release" | "agree" | "refuse"}` | "confirm" | "queue" | "pay";
const VERBS = ["pending", "approved", "less", "declined", "hold", "release", "agree", "refuse"] as const;
export const ACTS: readonly Act[] = [
  ...SALES.flatMap((sale) => VERBS.map((verb) => `${sale} ${verb}` as const)),
  ...(["confirm", "queue", "pay"] as const),
];

/** Where a history is: its database with the chain, and what must be true of it. */
export type Moment = { copy: DatabaseCopy; oracle: OrderOracle; sent: readonly (Word | null)[]; can: readonly Act[] };

/** Two sales of one order, of two buyers, of which one person may let nothing be paid alone. */
export class TwoSales {
  readonly #shop: Shop;
  readonly #wallets: readonly WalletAddress[];
  readonly #reports: readonly SaleReport[];
  #oracle = new OrderOracle();
  #sent: (Word | null)[] = [null, null];

  private constructor(shop: Shop, wallets: readonly WalletAddress[], reports: readonly SaleReport[]) {
    this.#shop = shop;
    this.#wallets = wallets;
    this.#reports = reports;
  }

  static async open(database: Database): Promise<TwoSales> {
    const shop = await Shop.open(database);
    shop.approvals = { aboveGwei: 0n, roleOf: () => "operator" };
    // As a running api says it, so that debts are lifted by it too.
    const roles = new Map(["ana", "bea"].map((name) => [name, "operator"] as const));
    await inTransaction(database.kysely, (queries) => announceApprovals(queries, { aboveGwei: 0n, roles }));
    const wallets = [await shop.buyer("a"), await shop.buyer("b")];
    const reports: SaleReport[] = [];
    for (const wallet of wallets) reports.push(reportOf(await shop.click(wallet), { orderRef: "A-1" }));
    return new TwoSales(shop, wallets, reports);
  }

  /** Does this, and compares everything. */
  async do(act: Act): Promise<Moment> {
    const [first = "", verb] = act.split(" ");
    if (!verb) await this.#goOn(first);
    else if (verb in SAYS) await this.#report(Number(first) - 1, verb as Word);
    else await this.#decide(Number(first) - 1, verb);
    return this.#compare(act === "pay");
  }

  /** To any moment of any history, with the chain of then. */
  async resume({ copy, oracle, sent }: Moment): Promise<void> {
    await putBack(this.#shop.database, copy);
    this.#oracle = oracle.clone();
    this.#sent = [...sent];
  }

  /** A backup of an earlier moment is restored; then what networks say now is read again, and all is paid that can be. */
  async goBack(to: Moment): Promise<Moment> {
    await this.#shop.goBack(to.copy);
    this.#oracle.wentBackTo(to.oracle);
    for (const sale of READ_AGAIN) {
      const word = this.#sent[sale];
      if (word) await this.#report(sale, word);
    }
    await this.#compare(false);
    return this.do("pay");
  }

  async #goOn(how: string): Promise<void> {
    if (how === "queue") await this.#shop.plan();
    if (how === "pay") await this.#shop.run(24);
    if (how !== "confirm") return;
    await this.#shop.mine();
    await this.#shop.plan();
    await this.#shop.mine();
  }

  async #report(sale: number, word: Word): Promise<void> {
    const { status, reais } = SAYS[word];
    const micros = BigInt(reais) * 1_000_000n;
    const report = this.#reports[sale] as SaleReport;
    const amounts = { amountMicros: micros, commissionMicros: micros / 10n };
    await this.#shop.read({ ...report, status, payable: status === "approved", ...amounts });
    this.#sent[sale] = word;
    this.#oracle.reported(sale, { status, cashback: BigInt(reais) * CHZ_OF_REAIS });
  }

  async #decide(sale: number, verb: string): Promise<void> {
    const { kysely } = this.#shop.database;
    const { id, hold_reasons } = await this.#shop.sale(this.#keyOf(sale));
    const by = (work: (queries: Queries) => Promise<unknown>, actor = "ana") =>
      inAuditedTransaction(kysely, actor, work);
    if (verb === "agree" || verb === "refuse") {
      const request = (await this.#requests(sale))[0]?.id ?? 0n;
      const isApproved = verb === "agree";
      await by((queries) => decideApprovals(queries, [request], { isApproved, actor: "bea", reason: null }), "bea");
      return this.#oracle.decided(sale, isApproved);
    }
    if (verb === "release" && this.#oracle.isHeld(sale)) {
      const holds = hold_reasons.split(" ");
      await by((queries) => releaseSale(queries, id, { rules: RULES, actor: "ana", holds }));
      return this.#oracle.released(sale);
    }
    const purchase = (await this.#live(sale)).at(-1)?.id ?? 0n;
    await by(async (queries) => {
      if (verb === "hold") await holdPurchase(queries, purchase, { actor: "ana", reason: null });
      else await releasePurchase(queries, purchase, "ana");
      // As the api does, at once.
      await stepNow(queries, purchase, {
        moment: { now: BigInt(Date.now()), deepestBlock: 1_000_000n, hasRate: true },
        ...{ weiPerCent: this.#shop.weiPerCent, stepDelayMs: 0n, approvals: this.#shop.approvals, rules: RULES },
      });
    });
    if (verb === "hold") this.#oracle.stopped(sale);
    else this.#oracle.released(sale);
  }

  #keyOf(sale: number): string {
    return this.#reports[sale]?.saleKey ?? "";
  }

  /** Its purchases that are not over. */
  #live(sale: number) {
    return this.#purchases(sale)
      .where("purchases.settled_at", "is", null)
      .where("payouts.token_id", "is", null)
      .execute();
  }

  #purchases(sale: number) {
    return this.#shop.database.kysely
      .selectFrom("purchases")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .leftJoin("nfts", "nfts.token_id", "purchases.id")
      .leftJoin("payouts", "payouts.token_id", "purchases.id")
      .leftJoin("operations", (join) =>
        join
          .onRef("operations.subject_id", "=", "purchases.id")
          .on("operations.kind", "=", "pay")
          .on("operations.status", "in", ["queued", "waiting", "failed"]),
      )
      .select(["purchases.id", "purchases.held_at", "purchases.approval_id", "payouts.amount_gwei"])
      .select(["nfts.status", "operations.id as queued"])
      .where("sales.sale_key", "=", this.#keyOf(sale))
      .orderBy("purchases.id");
  }

  #requests(sale: number) {
    return this.#shop.database.kysely
      .selectFrom("approvals")
      .innerJoin("purchases", "purchases.approval_id", "approvals.id")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .select(["approvals.id", "approvals.amount_gwei"])
      .where("sales.sale_key", "=", this.#keyOf(sale))
      .where("approvals.state", "=", "open")
      .execute();
  }

  async #compare(isQuiet: boolean): Promise<Moment> {
    const { database } = this.#shop;
    const rows = await database.kysely.selectFrom("sales").select(["id", "sale_key", "state"]).execute();
    const ids = rows.map(({ id }) => id);
    // What the chain did is noted by the first decision, and by no further one.
    await this.#decideAgain(ids);
    const copy = await copyDatabase(database);
    for (const some of [ids, ids.toReversed(), ...ids.map((id) => [id])]) await this.#decideAgain(some);
    expect(textsOf(await copyDatabase(database)), "decided again").to.deep.equal(textsOf(copy));
    const held = new Map(rows.map(({ sale_key, state }) => [sale_key, state === "held"]));
    const can: Act[] = [];
    const seen = [];
    for (const sale of [0, 1]) {
      const isHeld = this.#oracle.isHeld(sale);
      expect(held.get(this.#keyOf(sale)) ?? false, `sale ${sale + 1} is held`).to.equal(isHeld);
      const live = await this.#live(sale);
      const received = await this.#receivedBy(sale);
      const debt = await outstandingDebt(database.kysely, this.#wallets[sale] as WalletAddress);
      seen.push({ received, debt, isQueued: live.some(({ queued }) => queued !== null) });
      const requests = await this.#requests(sale);
      can.push(...this.#possible(sale, { live: live.length, requests: requests.length }));
    }
    expect(this.#oracle.saw(seen, isQuiet).join()).to.equal("");
    const [anyPurchase] = await database.kysely.selectFrom("purchases").select("id").orderBy("id").execute();
    expect(await findWrongPayments(database.kysely, anyPurchase?.id), "payments by the chain").to.deep.equal([]);
    return { copy, oracle: this.#oracle.clone(), sent: [...this.#sent], can: [...can, "confirm", "queue", "pay"] };
  }

  /** What would say anything new. */
  #possible(sale: number, { live, requests }: { live: number; requests: number }): Act[] {
    const number = (sale + 1) as Number;
    const { isStopped, isRefused } = this.#oracle.people[sale] ?? {};
    const words = (Object.keys(SAYS) as Word[]).filter((word) => word !== this.#sent[sale]);
    return [
      ...words.map((word) => `${number} ${word}` as const),
      ...(live > 0 && !isStopped ? [`${number} hold` as const] : []),
      ...(this.#oracle.isHeld(sale) || (live > 0 && (isStopped || isRefused)) ? [`${number} release` as const] : []),
      ...(requests > 0 ? ([`${number} agree`, `${number} refuse`] as const) : []),
    ];
  }

  async #decideAgain(ids: readonly bigint[]): Promise<void> {
    await inTransaction(this.#shop.database.kysely, (queries) => decideSales(queries, ids, RULES));
  }

  async #receivedBy(sale: number): Promise<bigint> {
    const rows = await this.#shop.database.kysely
      .selectFrom("payouts")
      .select("amount_gwei")
      .where("recipient", "=", this.#wallets[sale] as WalletAddress)
      .execute();
    return rows.reduce((sum, { amount_gwei }) => sum + amount_gwei, 0n);
  }
}

/** Each row but those of `users`, which are locked by being written. */
function textsOf(copy: DatabaseCopy): string[] {
  return [...copy].flatMap(([table, rows]) =>
    table === "users" ? [] : rows.map((row) => `${table} ${textOf(row)}`).sort(),
  );
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, one) => (typeof one === "bigint" ? `${one}n` : one));
}

// Which moments are the same ---------------------------------------------------------------------------------------------

/** Of each table, what a decision may depend on; neither ids nor times. */
const TELLING: Partial<Record<string, readonly string[]>> = {
  sales: ["sale_key", "state", "hold_reasons", "released_reasons", "let_go", "decided_by", "kept", "cashback_cent_bps"],
  purchases: ["wallet", "amount_cents", "cashback_cent_bps", "wei_per_cent", "offset_gwei", "decided_by"],
  nfts: ["owner", "status", "value_cents"],
  payouts: ["recipient", "amount_gwei"],
  adjustments: ["wallet", "amount_gwei"],
  operations: ["kind", "status", "amount_gwei"],
  approvals: ["wallet", "state", "amount_gwei", "asked_by"],
};
const IS_SET = ["settled_at", "reversed_at", "held_at", "approved_at", "payable_at", "approval_id"];

/** The same for two moments from which the same follows. */
export function keyOf({ copy, oracle, sent }: Moment): string {
  const rows = Object.entries(TELLING).map(([table, columns = []]) =>
    (copy.get(table as never) ?? []).map((row) => [
      ...columns.map((column) => row[column]),
      ...IS_SET.map((column) => (row[column] ?? null) !== null),
    ]),
  );
  return textOf([sent, oracle, rows]);
}
