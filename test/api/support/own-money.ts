import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { insertCategory } from "../../../core/catalogue/categories.ts";
import { insertStore } from "../../../core/catalogue/store-rows.ts";
import { findStore } from "../../../core/catalogue/stores.ts";
import { inAuditedTransaction } from "../../../core/database/audit-log.ts";
import type { Database } from "../../../core/database/connect.ts";
import { inTransaction } from "../../../core/database/transaction.ts";
import { findAccounts } from "../../../core/purchases/account-books.ts";
import { announceApprovals } from "../../../core/purchases/approvals.ts";
import { book } from "../../../core/purchases/bookings.ts";
import { noteRules } from "../../../core/purchases/changed-facts.ts";
import { holdPurchase } from "../../../core/purchases/staff.ts";
import { findWrongPayments } from "../../../core/purchases/wrong-payments.ts";
import { boosted } from "../../../core/rules/boost.ts";
import type { Role } from "../../../core/rules/roles.ts";
import type { SaleReport } from "../../../core/rules/sale/report.ts";
import { saoPauloDay } from "../../../core/rules/sao-paulo-time.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { assignSale } from "../../../core/sales/decisions.ts";
import { ACCOUNT, reportOf, Shop } from "../../sales/support/shop.ts";
import type { Caller } from "./caller.ts";
import { type InProcessApi, startInProcess } from "./in-process.ts";

const DIRECT = { network: "direct", account: "acme" };
const payable = { status: "approved", payable: true } as const;
type More = NonNullable<Parameters<typeof reportOf>[1]>;
export type Who = "caller" | "buyer";

/** What a wallet was paid and what was kept for its debts, in CHZ. */
export type Books = Record<Who, number>;

const environmentOf = () => {
  const file = join(mkdtempSync(join(tmpdir(), "torcida-own-")), "accounts.json");
  const awin = {
    ...ACCOUNT,
    publisher_id: "45628",
    token: "a-token",
    push_secrets: ["a-secret-of-awin-that-is-long-enough"],
  };
  const direct = { ...DIRECT, secrets: ["a-secret-of-the-shop-that-is-long-enough"], credit_reais: 0 };
  writeFileSync(file, JSON.stringify([awin, direct]), { mode: 0o600 });
  return {
    AFFILIATE_ACCOUNTS: file,
    SIMULATED_PURCHASES: "false",
    APPROVAL_ABOVE_CHZ: "0",
    FX_URL: "http://127.0.0.1:1",
    SALE_MAX_REAIS: "1000000",
    SALE_MIN_SECONDS: "0",
    SALES_PER_DAY_MAX: "1000",
    HOLD_SECONDS: "3600",
    MINT_DELAY_SECONDS: "0",
  };
};

/**
 * A shop in which one of the team (`caller`) and a buyer each have a sale that waits for everything that a sale can wait
 * for; another of the team (`other`) has asked for what waits for a second person. Nobody alone may let anything be paid.
 */
export class OwnMoney {
  readonly api: InProcessApi;
  readonly shop: Shop;
  readonly caller: Caller;
  readonly other: Caller;
  readonly #people: Record<Who | "third", Caller>;
  readonly day = saoPauloDay(BigInt(Date.now()));
  directId = 0n;
  categoryId = 0n;
  /** By what they wait for, and whose they are. */
  readonly sales = new Map<string, SaleReport>();

  /** `waits`: whose sales wait; a caller who waits for nothing is refused nothing for that. */
  static async open(database: Database, role: Role, waits: readonly Who[]): Promise<OwnMoney> {
    const shop = await Shop.open(database);
    const api = await startInProcess(database, environmentOf());
    const [caller, other] = [await api.admin(role), await api.admin("owner")];
    const world = new OwnMoney(api, shop, { caller, other }, { buyer: await api.user(), third: await api.user() });
    const { adminWallets } = api.services;
    await inTransaction(database.kysely, (queries) =>
      announceApprovals(queries, { aboveGwei: 0n, roles: new Map(adminWallets) }),
    );
    await world.#fill(waits);
    return world;
  }

  private constructor(
    api: InProcessApi,
    shop: Shop,
    { caller, other }: { caller: Caller; other: Caller },
    others: { buyer: Caller; third: Caller },
  ) {
    Object.assign(shop, { rules: api.services.saleRules, approvals: api.services.approvals });
    this.api = api;
    this.shop = shop;
    this.caller = caller;
    this.other = other;
    this.#people = { caller, ...others };
  }

  walletOf(who: Who | "third"): WalletAddress {
    return this.#people[who].address;
  }

  get #kysely() {
    return this.shop.database.kysely;
  }

  async #sell(name: string, who: Who | "third" | undefined, more: More = {}, key = ACCOUNT): Promise<SaleReport> {
    const storeId = key === ACCOUNT ? this.shop.storeId : this.directId;
    const click = who && (await this.shop.click(this.walletOf(who), await this.#termsNow(storeId), storeId));
    const report = reportOf(click, { ...payable, ...(key === ACCOUNT ? {} : { advertiserId: null }), ...more });
    await this.shop.read(report, this.shop.rules, key);
    this.sales.set(name, report);
    return report;
  }

  async #termsNow(storeId: bigint) {
    const store = await findStore(this.#kysely, storeId);
    const categories = store ? boosted(store.categories, store.boosts, BigInt(Date.now())) : [];
    const highest = categories.reduce((most, one) => (one.cashbackBps > most ? one.cashbackBps : most), 0n);
    return { groups: {}, defaultBps: highest, bonusBps: 0n };
  }

  async saleId(name: string): Promise<number> {
    const report = this.sales.get(name);
    if (!report) throw new Error(`There is no sale ${name}`);
    return Number((await this.shop.sale(report.saleKey)).id);
  }

  /** The last one of the sale. */
  async purchaseId(name: string): Promise<number> {
    const id = BigInt(await this.saleId(name));
    const rows = await this.#kysely
      .selectFrom("purchases")
      .select("id")
      .where("sale_id", "=", id)
      .orderBy("id")
      .execute();
    return Number(rows.at(-1)?.id);
  }

  async payoutId(name: string): Promise<number> {
    const subject = BigInt(await this.purchaseId(name));
    const operation = this.#kysely.selectFrom("operations").select("id").where("kind", "=", "pay");
    return Number((await operation.where("subject_id", "=", subject).executeTakeFirstOrThrow()).id);
  }

  async rowId(table: "approvals" | "percent_approvals" | "proposals" | "claims", who?: Who): Promise<number> {
    const rows = await this.#kysely
      .selectFrom(table as "claims")
      .selectAll()
      .orderBy("id")
      .execute();
    const own = who === undefined ? rows : rows.filter(({ wallet }) => wallet === this.walletOf(who));
    return Number(own.at(-1)?.id);
  }

  /** A booking of the other's, so small that it pays nothing. */
  async booked(): Promise<number> {
    const [row] = await inTransaction(this.#kysely, async (queries) => {
      const [account] = await findAccounts(queries, [DIRECT]);
      const line = { accountId: account?.id ?? 0n, amountCents: 1n, arrivedOn: this.day, reference: "Pix" };
      return book(queries, [{ ...line, bookedBy: this.other.address }]);
    });
    return Number(row);
  }

  /** A visit of the buyer's, or of nobody whom the sales know. */
  async visit(who: Who | "third" = "third"): Promise<string> {
    return (await this.shop.click(this.walletOf(who), await this.#termsNow(this.shop.storeId))).token;
  }

  /** What the panel names with a decision. */
  async seen(name: string) {
    const { sale } = (await this.other.get(`/api/admin/sales/${await this.saleId(name)}`)).body;
    return { revision: sale.revision, holds: sale.holds };
  }

  async #fill(waits: readonly Who[]): Promise<void> {
    const { shop, other } = this;
    const kysely = this.#kysely;
    const link = { affiliate_link: "https://loja.example/?c={click}" };
    // Its first day, on which percents need nobody, is over.
    const older = { ...link, merchant: "loja.example", created_at: 1n };
    await kysely.updateTable("stores").set(older).where("id", "=", shop.storeId).execute();
    const store = { name: "Acme", country: "Brasil", ...DIRECT, ...link };
    this.directId = await insertStore(kysely, store);
    const category = { category: "Roupas", cashbackBps: 500n };
    this.categoryId = await insertCategory(kysely, shop.storeId, category);
    await insertCategory(kysely, this.directId, category);
    await inTransaction(kysely, (queries) => noteRules(queries, shop.rules));
    const rate = { currency: "EUR", day: this.day, rate_micros: 500_000_000n, doubted_from: 5_000_000n, read_at: 1n };
    await kysely.insertInto("fx_rates").values(rate).execute();
    const asked = { currency: "EUR", day: this.day, published_day: this.day, due_at: 1n };
    await kysely.insertInto("fx_requests").values(asked).execute();

    for (const who of waits) await this.#sellAll(who);
    await shop.run();
    for (const who of waits) await this.#stopAll(who);
    await shop.run();

    // What another one of the team has asked for.
    const change = (path: string, fields: object) =>
      other.send("PUT", `/api/store/${shop.storeId}${path}`, JSON.stringify(fields));
    await change(`/cashback/${this.categoryId}`, { cashback_percent: "40" });
    await change("", { merchant: "another.example" });
    await shop.run();
  }

  async #sellAll(who: Who): Promise<void> {
    const order = `twice-${who}`;
    await this.#sell(`first of ${who}`, "third", { orderRef: order });
    await this.#sell(`twin of ${who}`, who, { orderRef: order });
    await this.#sell(`low of ${who}`, who, { commissionMicros: 1_000n });
    await this.#sell(`unmatched of ${who}`, undefined, { orderRef: `claimed-${who}` });
    await this.#sell(`approved of ${who}`, who, { payable: null });
    await this.#sell(`euros of ${who}`, who, { currency: "EUR", commissionCurrency: "EUR" });
    await this.#sell(`direct of ${who}`, who, { commissionMicros: null }, DIRECT);
    await this.#sell(`assigned of ${who}`, undefined);
  }

  async #stopAll(who: Who): Promise<void> {
    const { other } = this;
    const rules = this.shop.rules;
    const wallet = this.walletOf(who);
    const click = await this.visit(who);
    const [{ id: clickId }] = (await this.#kysely
      .selectFrom("clicks")
      .select("id")
      .where("token", "=", click)
      .execute()) as [{ id: bigint }];
    const claim = {
      wallet,
      store_id: this.shop.storeId,
      click_id: clickId,
      order_ref: `claimed-${who}`,
      state: "open" as const,
    };
    await this.#kysely
      .insertInto("claims")
      .values({ ...claim, amount_cents: 10_000n, purchased_on: this.day, created_at: 1n })
      .execute();
    // One that was never sent, and failed.
    await this.#sell(`failed of ${who}`, who);
    const failing = BigInt(await this.purchaseId(`failed of ${who}`));
    const fail = () =>
      this.#kysely
        .updateTable("operations")
        .set({ status: "failed", reason: "refused" })
        .where("subject_id", "=", failing)
        .where("kind", "=", "pay")
        .executeTakeFirst();
    for (await this.shop.plan(); (await fail()).numUpdatedRows === 0n; await this.shop.plan()) await this.shop.mine();
    await this.#sell(`held of ${who}`, who);
    const held = BigInt(await this.purchaseId(`held of ${who}`));
    await inTransaction(this.#kysely, (queries) => holdPurchase(queries, held, { actor: other.address, reason: null }));
    const assigned = BigInt(await this.saleId(`assigned of ${who}`));
    const token = await this.visit(who);
    await inAuditedTransaction(this.#kysely, other.address, (queries) =>
      assignSale(queries, assigned, token, { rules, actor: other.address }),
    );
  }

  /** What follows from all that was said until now, with nobody agreeing to anything. */
  async settle(): Promise<Books> {
    await this.shop.run();
    return this.#books();
  }

  /** The same once networks report what was bought since. */
  async settleLater(): Promise<Books> {
    for (const who of ["caller", "buyer"] as const) {
      await this.#sell(`later of ${who}`, who);
      await this.#sell(`later twin of ${who}`, who, { orderRef: `twice-${who === "caller" ? "buyer" : "caller"}` });
      await this.#sell(`later euros of ${who}`, who, { currency: "EUR", commissionCurrency: "EUR" });
      await this.#sell(`later direct of ${who}`, who, { commissionMicros: null }, DIRECT);
    }
    return this.settle();
  }

  async #books(): Promise<Books> {
    const of = async (who: Who) => {
      const wallet = this.walletOf(who);
      const kept = await this.#kysely
        .selectFrom("purchases")
        .select("offset_gwei")
        .where("wallet", "=", wallet)
        .execute();
      const keptGwei = kept.reduce((sum, { offset_gwei }) => sum + offset_gwei, 0n);
      return (await this.shop.received(wallet)) + Number(keptGwei) / 1e9;
    };
    return { caller: await of("caller"), buyer: await of("buyer") };
  }

  /** Orders of which more is kept than the sale that promises most, and payments that the books tell otherwise. */
  async wrong(): Promise<string[]> {
    const { rows } = await sql<{ order_ref: string; kept: number; most: number }>`
      select order_ref, max(cashback_cent_bps) * 1000 as most,
        sum(coalesce((select sum(coalesce(amount_gwei, 0) + offset_gwei
            - coalesce((select sum(amount_gwei) from adjustments where purchase_id = purchases.id), 0))
          from purchases left join payouts on payouts.token_id = purchases.id
          where purchases.sale_id = sales.id), 0)) as kept
      from sales group by order_ref`.execute(this.#kysely);
    const twice = rows.filter(({ kept, most }) => Number(kept) > Number(most));
    const [first] = await this.shop.purchases();
    return [
      ...twice.map(({ order_ref, kept, most }) => `${order_ref} keeps ${kept} of ${most} gwei`),
      ...(await findWrongPayments(this.#kysely, first?.id)),
    ];
  }

  stop(): Promise<void> {
    return this.api.stop();
  }
}
