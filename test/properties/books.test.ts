import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import pino from "pino";
import { toWireStatement } from "../../api/people/profile.ts";
import { insertCategory } from "../../core/catalogue/categories.ts";
import { decidePercent, readPercentApprovals } from "../../core/catalogue/percent-approvals.ts";
import { insertStore } from "../../core/catalogue/store-rows.ts";
import { readCategories } from "../../core/catalogue/stores.ts";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { LeaseLostError } from "../../core/process/lease.ts";
import { findAccounts } from "../../core/purchases/account-books.ts";
import { attribute } from "../../core/purchases/approvals.ts";
import { announceSalesDay } from "../../core/purchases/bookings.ts";
import { noteRules } from "../../core/purchases/changed-facts.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { purchaseEncoders } from "../../core/purchases/encoders.ts";
import { reviewSales } from "../../core/purchases/held-reviews.ts";
import { listPurchases } from "../../core/purchases/queries.ts";
import { readBuyerTotals } from "../../core/purchases/shop-totals.ts";
import { decideApproval, holdPurchase, releasePurchase } from "../../core/purchases/staff.ts";
import { readStatement } from "../../core/purchases/statement.ts";
import { purchaseViewAt, toPurchaseRecord } from "../../core/purchases/view.ts";
import { findWrongPayments } from "../../core/purchases/wrong-payments.ts";
import { cashbackOfCentBps } from "../../core/rules/cashback.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { parseDecimal } from "../../core/rules/money.ts";
import { SITUATIONS } from "../../core/rules/purchase/situation.ts";
import { idsOf } from "../../core/rules/records.ts";
import type { SaleRules } from "../../core/rules/sale/rules.ts";
import { freezeTerms } from "../../core/rules/sale/value.ts";
import { awin } from "../../core/sales/awin/awin.ts";
import type { Click } from "../../core/sales/clicks.ts";
import { assignSale, declineSale, releaseSale } from "../../core/sales/decisions.ts";
import { noteAccounts } from "../../core/sales/known-accounts.ts";
import type { AnyNetwork } from "../../core/sales/networks.ts";
import { ProgrammeRounds } from "../../core/sales/programme-rounds.ts";
import { expediteRound } from "../../core/sales/programme-rows.ts";
import { groupsOf, programmeOf } from "../../core/sales/programmes.ts";
import { storeReport } from "../../core/sales/reports.ts";
import { requeueOperations } from "../../core/sender/moves.ts";
import type { Operation } from "../../core/sender/queue.ts";
import { ACCOUNT, RULES, reportOf, Shop } from "../sales/support/shop.ts";
import { copyDatabase, type DatabaseCopy } from "../testing/database-copy.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";
import { Bookkeeper, FollowedPercent, type Reading, type Visit } from "./support/bookkeeper.ts";
import { type Fact, PLAIN, type Report, type Step, step, TOLD } from "./support/sale-steps.ts";
import { PROPERTY_TIMEOUT_MS, seeded } from "./support/seeded.ts";

/*
 * Random histories of sales, whose books an independent bookkeeper keeps too. Facts, decision, saving and planner are the
 * product's on a real database; the chain is a table that carries out the outbox, because neither contracts nor sender
 * are the subject (outbox.test.ts and sales.test.ts have them).
 */
const RUNS = 40;
const RUNS_IN_DEPTH = 2_000;
const HISTORIES_A_DATABASE = 25;
const AHEAD_MS = 3 * 3_600_000;
/** Side by side, each on databases of its own: PostgreSQL waits more than it works. */
const LANES = { SQLite: 1, PostgreSQL: 3 };
const DEEP_TIMEOUT_MS = 3 * 3_600_000;
const BPS = [500n, 700n, 500n, 300n];
/** The first buyer came by the second one's link: one visit of each carries it, with other percents to tell them apart. */
const INVITE_BPS = new Map([
  [0, 200n],
  [2, 300n],
]);
/** Of the visits to the second store, one by each buyer. */
const BPS_THERE = [400n, 600n];
/** What a person once agreed to, of the first store's percent. */
const AGREED_BPS = 500n;
const SECOND_STORE = { name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "17001" };

const gweiOf = (chz: string) => parseDecimal(chz, 9);

let histories = 0;

type Told = Omit<Reading, "isSince"> & { sent: ReturnType<typeof reportOf> };
/** A backup: what the database, the books, the networks and the chain had. */
type Moment = {
  copy: DatabaseCopy;
  books: Bookkeeper;
  told: ReadonlyMap<string, Told>;
  paid: ReadonlyMap<string, bigint>;
};

class History {
  readonly shop: Shop;
  books = new Bookkeeper();
  readonly #name = ++histories;
  /** Whose decisions of a day are no other history's. */
  readonly #admin = `admin ${this.#name}`;
  readonly #clicks: Click[] = [];
  readonly #visits: Visit[] = [];
  /** The last visit in the place of each of the first ones: what reports are told to name. */
  readonly #latest: number[] = [];
  /** The first store's, which the visits since the beginning are promised. */
  readonly #percent = new FollowedPercent(AGREED_BPS);
  #marginLossCents = 0n;
  readonly #received = new Map<string, bigint>();
  /** What each wallet has withdrawn of what it refused, in gwei. */
  readonly #withdrawn = new Map<string, bigint>();
  /** The last report of each sale, as it was sent, and what it says. */
  readonly #told = new Map<string, Told>();
  readonly #said = new Map<number, Report>();
  /** The sales that turned out to be the second store's. */
  readonly #ofSecondStore = new Set<number>();
  /** What was paid before the limit that applies now, or by nobody's decision. */
  readonly #unjudged = new Set<bigint>();
  #time = BigInt(Date.now());
  /** From before each step since the rates are these, in a history that goes back to one. */
  #moments: Moment[] = [];
  /** The account's name with which a process started last, if that was told. */
  #startedWith: string | null | undefined;
  #accounts: SaleRules["accounts"] = RULES.accounts;
  readonly #goesBack: boolean;

  constructor(shop: Shop, steps: readonly Step[]) {
    this.shop = shop;
    // A limit of the history before would be in no counterexample.
    shop.approvals = { aboveGwei: undefined, roleOf: () => undefined };
    this.#goesBack = steps.some(({ fact }) => fact.kind === "go back");
    this.#setRates(10n, 5_000_000n);
  }

  async begin(): Promise<void> {
    for (const [number, bps] of BPS.entries()) {
      const wallet: `0x${string}` = `0x${(this.#name * 2 + (number >> 1)).toString(16).padStart(40, "0")}`;
      if (number % 2 === 0) {
        const user = { wallet, email: "a@b.c", first_name: "A", last_name: "B", created_at: 1n };
        await this.shop.database.kysely.insertInto("users").values(user).execute();
      }
      const ofInvite = INVITE_BPS.get(number);
      const invite = ofInvite && (await this.#invite(number === 0 ? "friend" : "inviter", ofInvite));
      const click = await this.shop.click(wallet, { groups: {}, defaultBps: bps, bonusBps: 0n, ...invite });
      this.#clicks.push(click);
      if (invite) await this.#carry(invite.invite, click.token);
      const carried = ofInvite && { invite: { bps: ofInvite, friend: number === 0 ? null : 0 } };
      this.#visits.push({ number, wallet, bps, store: "first", ...carried });
      this.#latest.push(number);
    }
    const { kysely } = this.shop.database;
    await this.#beginToFollow();
    const known = await kysely
      .selectFrom("stores")
      .select("id")
      .where("name", "=", SECOND_STORE.name)
      .executeTakeFirst();
    const storeId = known?.id ?? (await insertStore(kysely, SECOND_STORE));
    for (const [buyer, bps] of BPS_THERE.entries()) {
      const wallet = this.#visits[buyer * 2]?.wallet as `0x${string}`;
      this.#clicks.push(await this.shop.click(wallet, { groups: {}, defaultBps: bps, bonusBps: 0n }, storeId));
      this.#visits.push({ number: this.#visits.length, wallet, bps, store: "second" });
    }
  }

  /** The history before may have left any percent. */
  async #beginToFollow(): Promise<void> {
    const { database, storeId } = this.shop;
    const { kysely } = database;
    await kysely.deleteFrom("percent_approvals").where("store_id", "=", storeId).execute();
    await kysely.deleteFrom("store_cashbacks").where("store_id", "=", storeId).execute();
    await kysely
      .updateTable("stores")
      .set({ paused_since: null, paused_reason: null })
      .where("id", "=", storeId)
      .execute();
    const follows = { groupCode: "DEFAULT", isDefault: true, isByHand: false, agreedBps: AGREED_BPS };
    await insertCategory(kysely, storeId, { category: "Geral", cashbackBps: AGREED_BPS, ...follows });
  }

  /** What a click carries of the invitation of this history. */
  async #invite(role: "friend" | "inviter", bps: bigint) {
    const { kysely } = this.shop.database;
    const friend: `0x${string}` = `0x${(this.#name * 2).toString(16).padStart(40, "0")}`;
    const row = { friend, inviter: null, month: "2026-11", state: "open" as const, created_at: 1n };
    await kysely
      .insertInto("invites")
      .values(row)
      .onConflict((one) => one.column("friend").doNothing())
      .execute();
    const { id } = await kysely
      .selectFrom("invites")
      .select("id")
      .where("friend", "=", friend)
      .executeTakeFirstOrThrow();
    return { invite: { id, role, bps, until: BigInt(Date.now() + DAY_MS) } };
  }

  async #carry({ id, role }: { id: bigint; role: "friend" | "inviter" }, token: string): Promise<void> {
    const carried = role === "friend" ? { friend_click: token } : { inviter_click: token };
    await this.shop.database.kysely.updateTable("invites").set(carried).where("id", "=", id).execute();
  }

  async do({ fact: drawn, killAt, rounds, wallet, isQuiet }: Step): Promise<void> {
    const fact = "visit" in drawn && drawn.kind !== "visit" && drawn.kind !== "assign" ? this.#ofLatest(drawn) : drawn;
    if (this.#goesBack) {
      const [copy, paid] = [await copyDatabase(this.shop.database), await this.#paidBySale()];
      this.#moments.push({ copy, books: this.books.copy(), told: new Map(this.#told), paid });
    }
    this.shop.isRefused = wallet === "refuses";
    if (wallet === "withdraws") for (const one of this.#wallets()) this.#withdrawn.set(one, await this.#refusedBy(one));
    if (fact.kind === "rates") {
      // So that what was queued at a rate was also confirmed at it.
      await this.quiet(killAt);
      this.#setRates(fact.chz, fact.dollar);
    } else if (fact.kind === "plan") {
      await this.shop.plan();
      this.#setRates(fact.chz, 5_000_000n);
    } else if (fact.kind === "paying") await this.#tellWhilePaying(fact);
    else if (fact.kind === "revert") {
      const again = () => this.#report({ ...fact, visit: this.#visitOf(fact.sale), isLate: false }, 0);
      await this.#revert(fact.sale, again);
    } else if (fact.kind === "revert beside") await this.#revertBeside(fact, killAt);
    else if (fact.kind === "hold") await this.#hold(fact);
    else if (fact.kind === "go back") await this.#goBack(fact.to);
    else if (fact.kind === "account") await this.#start(fact.name);
    else if (fact.kind === "visit") await this.#visit(fact);
    else if (fact.kind === "margin") await this.#mayLose(fact.reais);
    else if (fact.kind === "limit") {
      // So that what was queued under a limit was also judged by it.
      await this.quiet(killAt);
      const aboveGwei = fact.chz === null ? undefined : fact.chz * 10n ** 9n;
      this.shop.approvals = { aboveGwei, roleOf: () => "operator" };
      for (const { id } of await this.#listPayouts()) this.#unjudged.add(id);
    } else if (fact.kind === "net") await this.#net(fact);
    else if (fact.kind === "assign") await this.#assign(fact, killAt);
    else if (fact.kind === "change") {
      const last = this.#said.get(fact.sale);
      if (last) await this.#report({ ...last, ...fact.change }, killAt);
    } else if (fact.kind === "report") await this.#report(fact, killAt);
    else await this.#decide(fact.kind, this.#key(fact.sale), killAt);
    await this.#readUnderWay();
    for (let round = 0; round < rounds; round++) {
      await this.shop.plan();
      await this.#readUnderWay();
      await this.shop.mine();
      // What is in the newest block is not final.
      await this.#readUnderWay(2);
    }
    // The books know only what has ended: a payout that was under way is in them before the next fact.
    if (isQuiet || rounds > 0) await this.quiet(killAt);
  }

  #ofLatest<Told extends { visit: number | null }>(told: Told): Told {
    return { ...told, visit: told.visit === null ? null : (this.#latest[told.visit] ?? told.visit) };
  }

  async #visit({ visit, commission, isAgreed, bonus }: Fact & { kind: "visit" }): Promise<void> {
    const { database, storeId } = this.shop;
    const { kysely } = database;
    await this.#readProgramme(commission);
    this.#percent.said(commission);
    await this.#compareFollowed();
    const [request] = await this.#openPercents();
    if (isAgreed && request) {
      const by = { isApproved: true, actor: this.#admin, reason: null, isAskerAdmin: true };
      expect(await inTransaction(kysely, (queries) => decidePercent(queries, request, by))).to.equal("done");
      this.#percent.agree();
      await this.#compareFollowed();
    }
    const { bps, isPaused } = this.#percent;
    const before = this.#visits[visit];
    if (isPaused || !before) return;
    const categories = (await readCategories(kysely, [storeId])).get(storeId) ?? [];
    const rates = categories.map(({ plainBps, ...one }) => ({ ...one, bps: plainBps }));
    const terms = freezeTerms(rates, bonus, 0n);
    if (!terms) throw new Error("The store has no percent");
    const wallet = before.wallet as `0x${string}`;
    this.#latest[visit] = this.#visits.length;
    this.#clicks.push(await this.shop.click(wallet, terms));
    this.#visits.push({ number: this.#visits.length, wallet, bps, bonus, commission, store: "first" });
    // A backup from before does not know the click.
    this.#moments = [];
  }

  /** A round over an account whose only programme is the first store's. */
  async #readProgramme(commission: bigint): Promise<void> {
    const { database } = this.shop;
    const percent = `${commission / 100n}.${String(commission % 100n).padStart(2, "0")}`;
    const terms = { groups: groupsOf([{ code: "DEFAULT", name: "Geral", percent }]), expectedDays: null };
    const said = { advertiserId: "17000", name: "Loja", state: "active", address: null, terms } as const;
    const programme = programmeOf(said);
    const account = accountCalled(ACCOUNT.account);
    const rounds = new ProgrammeRounds({
      ...{ database, account, rules: { accounts: [account], sharePercent: 60n } },
      ...{ calls: standIn({}), log: pino({ level: "silent" }), assertLease: async () => {}, isOver: () => true },
      network: standIn<AnyNetwork>({
        programmes: {
          async *list() {
            yield [programme];
          },
        },
      }),
    });
    await expediteRound(database.kysely, ACCOUNT, -DAY_MS);
    while (await rounds.step());
  }

  async #openPercents() {
    const { kysely } = this.shop.database;
    const ids = await kysely.selectFrom("percent_approvals").select("id").where("state", "=", "open").execute();
    return readPercentApprovals(kysely, idsOf(ids));
  }

  async #compareFollowed(): Promise<void> {
    const { database, storeId } = this.shop;
    const [category] = (await readCategories(database.kysely, [storeId])).get(storeId) ?? [];
    const store = database.kysely.selectFrom("stores").select("paused_since").where("id", "=", storeId);
    const { paused_since } = await store.executeTakeFirstOrThrow();
    const { bps, proposed, isPaused } = this.#percent;
    expect({ bps: category?.plainBps, isPaused: paused_since !== null }, "the percent").to.deep.equal({
      bps,
      isPaused,
    });
    // Nobody is asked anew what a paused store would pay.
    if (isPaused) return;
    const asked = (await this.#openPercents()).map((one) => one.bps);
    expect(asked, "what is proposed").to.deep.equal(proposed === null ? [] : [proposed]);
  }

  /** Above what other histories lost. */
  async #mayLose(reais: bigint): Promise<void> {
    await this.quiet(0);
    const { kysely } = this.shop.database;
    const own = await kysely.selectFrom("sales").selectAll().where("sale_key", "like", `${this.#name}-%`).execute();
    const all = await kysely.selectFrom("account_losses").selectAll().execute();
    const sum = (rows: readonly { lost_cent_bps: bigint }[]) =>
      rows.reduce((total, { lost_cent_bps }) => total + lost_cent_bps, 0n);
    const ofOthers = sum(all) - sum(own);
    this.#marginLossCents = ofOthers / 10_000n + reais * 100n;
    const noteLimit = () => inTransaction(kysely, (queries) => noteRules(queries, this.shop.rules));
    // The history before may have ended with the limit that this one comes to.
    await noteLimit();
    this.shop.rules = this.#withLimits(this.shop.rules);
    await noteLimit();
    this.books.mayLose(this.#marginLossCents * 10_000n - ofOthers);
    this.#moments = [];
    await this.quiet(0);
  }

  /** A visit may be later than a sale that names it. */
  #withLimits(rules: SaleRules): SaleRules {
    return { ...rules, limits: { ...rules.limits, minimumSeconds: 0n, marginLossCents: this.#marginLossCents } };
  }

  /** Where a month comes to have room, what is held for it is decided anew within minutes. docs/product.md#margin-loss */
  async #review(): Promise<void> {
    if (this.#marginLossCents === 0n) return;
    const { kysely } = this.shop.database;
    const own = kysely.updateTable("sales").where("sale_key", "like", `${this.#name}-%`);
    await own.set({ reviewed_at: 0n }).execute();
    await reviewSales(this.shop.database, { rules: this.shop.rules, assertLease: async () => {} });
  }

  /** The figures are their lines whatever is queued, sent or not final. */
  async #readUnderWay(confirmations = 1): Promise<void> {
    for (const wallet of this.#wallets()) await this.#compareStatement(wallet, confirmations);
  }

  /** Everything is released, approved and paid that can be. */
  async end(): Promise<void> {
    if (this.#startedWith !== undefined) await this.#start(ACCOUNT.account);
    await this.quiet(0);
    for (const key of this.books.sales.keys()) await this.#decide("release", key, 0);
    await this.quiet(0);
  }

  /** Until nothing is left to do; then the books must agree. */
  async quiet(killAt: number): Promise<void> {
    await this.#dying(killAt, (database) => this.shop.plan(database));
    const [before, , after] = [await this.#heldTickets(), await this.#runWithApprovals(), await this.#heldTickets()];
    const ofThoseIn = (rows: typeof after, others: typeof after) =>
      rows.filter((one) => others.some((other) => other.sale_key === one.sale_key));
    expect(ofThoseIn(after, before), "nothing of a held sale is minted, confirmed or paid").to.deep.equal(
      ofThoseIn(before, after),
    );
    this.books.quiet();
    await this.#compare();
  }

  /**
   * Runs until nothing is left to do. A second person agrees to each payout that waits for one, but refuses every third,
   * until it is decided again.
   */
  async #runWithApprovals(): Promise<void> {
    const { kysely } = this.shop.database;
    for (;;) {
      await this.shop.run(24);
      const open = await kysely
        .selectFrom("approvals")
        .leftJoin("payouts", "payouts.token_id", "approvals.purchase_id")
        .leftJoin("operations", (join) =>
          join
            .onRef("operations.subject_id", "=", "approvals.purchase_id")
            .on("operations.kind", "=", "pay")
            .on("operations.status", "<>", "withdrawn"),
        )
        .select(["approvals.id", "approvals.purchase_id", "approvals.wallet", "approvals.asked_by"])
        .select(["payouts.token_id as paid", "operations.id as queued"])
        .where("approvals.state", "=", "open")
        .execute();
      if (open.length === 0) return;
      for (const { id, purchase_id, wallet, asked_by, paid, queued } of open) {
        expect([paid, queued], "nothing is paid before a second person agrees").to.deep.equal([null, null]);
        expect(await this.#figureOf(purchase_id, wallet), "where it waits").to.equal("waiting");
        const by = { isApproved: id % 3n !== 0n, actor: "second", reason: null };
        await inTransaction(kysely, (queries) => decideApproval(queries, id, by));
        if (by.isApproved) continue;
        await this.shop.run(3);
        expect(await this.#figureOf(purchase_id, wallet), "where it is refused").to.equal("waiting");
        await this.#compareStatement(wallet);
        await inTransaction(kysely, (queries) => attribute(queries, [purchase_id], asked_by));
        // The no was that of all purchases of its sale: the others are asked for anew too.
        break;
      }
    }
  }

  async #figureOf(purchase: bigint, wallet: `0x${string}`) {
    const { kysely } = this.shop.database;
    const cursor = await kysely.selectFrom("chain_cursor").select("block_number").executeTakeFirstOrThrow();
    const view = purchaseViewAt(cursor.block_number, { rate: this.shop.weiPerCent, confirmations: 1, isLive: true });
    const rows = await listPurchases(kysely, wallet, { limit: 1_000 });
    const row = rows.find(({ id }) => id === purchase);
    return row && SITUATIONS[toPurchaseRecord(row, view).situation].figure;
  }

  /** What these sales are owed waits for a second person, who is not there; what is kept of it for a debt is kept. */
  async #runWithoutApprovals(sales: readonly number[]): Promise<void> {
    const { kysely } = this.shop.database;
    const purchases = await kysely
      .selectFrom("purchases")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .select("purchases.id")
      .where(
        "sales.sale_key",
        "in",
        sales.map((one) => this.#key(one)),
      )
      .execute();
    const ids = purchases.map(({ id }) => id);
    await this.#noteUndecided();
    await inTransaction(kysely, (queries) => attribute(queries, ids, this.#admin));
    const { approvals } = this.shop;
    this.shop.approvals = { aboveGwei: 0n, roleOf: () => "operator" };
    await this.shop.run(24);
    this.shop.approvals = approvals;
  }

  /** What is held is neither confirmed nor paid, whatever is reported meanwhile. */
  async #hold(one: Report): Promise<void> {
    await this.quiet(0);
    const { kysely } = this.shop.database;
    const own = this.#visitOf(one.sale);
    if (own !== null) await this.#report({ ...PLAIN, sale: one.sale, visit: own }, 0);
    if (await this.#isKeptByPlan(one.sale)) return this.quiet(0);
    const purchases = await kysely
      .selectFrom("purchases")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .select("purchases.id")
      .where("sales.sale_key", "=", this.#key(one.sale))
      .execute();
    const held: bigint[] = [];
    for (const { id } of purchases) {
      const by = { actor: this.#admin, reason: null };
      if ((await inTransaction(kysely, (queries) => holdPurchase(queries, id, by))) === "held") held.push(id);
    }
    const steps = () =>
      kysely
        .selectFrom("nfts")
        .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
        .select(["nfts.token_id", "payouts.amount_gwei"])
        .select(sql<boolean>`nfts.status = 2`.as("is_confirmed"))
        .where("nfts.token_id", "in", [0n, ...held])
        .where((or) => or.or([or("nfts.status", "=", 2n), or("payouts.token_id", "is not", null)]))
        .orderBy("nfts.token_id")
        .execute();
    const before = await steps();
    if (await this.#findQueuedPayout(one.sale)) this.books.queued(this.#key(one.sale));
    await this.#report({ ...one, isLate: false }, 0);
    await this.#runWithApprovals();
    expect(await steps(), "nothing of a held purchase is confirmed or paid").to.deep.equal(before);
    await this.#noteUndecided();
    for (const id of held) await inTransaction(kysely, (queries) => releasePurchase(queries, id, this.#admin));
    if (held.length > 0) this.books.letGo(this.#key(one.sale));
    await this.quiet(0);
  }

  /** docs/product.md#sales-accounts */
  async #start(name: string | null): Promise<void> {
    // So that what was queued with another account is done.
    await this.quiet(0);
    this.#startedWith = name;
    const accounts = name === null ? [] : [accountCalled(name)];
    const { kysely } = this.shop.database;
    const { configured, known } = await inTransaction(kysely, (queries) => noteAccounts(queries, accounts, [ACCOUNT]));
    const names = configured.map(({ account }) => account);
    expect(names, "its first name").to.deep.equal(name === null ? [] : [ACCOUNT.account]);
    this.#accounts = known;
    this.shop.rules = { ...this.shop.rules, accounts: known };
    await inTransaction(kysely, (queries) => noteRules(queries, this.shop.rules));
    this.books.started(name === null);
    await this.quiet(0);
  }

  async #goBack(to: number): Promise<void> {
    await this.quiet(0);
    const moment = this.#moments[to % this.#moments.length];
    if (!moment) return;
    const paid = await this.#paidBySale();
    const paidSince = new Map([...paid].map(([key, gwei]) => [key, gwei - (moment.paid.get(key) ?? 0n)]));
    const told = [...this.#told.values()].toReversed();
    const readings = told.map((one) => ({ ...one, isSince: moment.told.get(one.key) !== one }));
    const books = moment.books.readAgain(paidSince, readings, this.books.isAccountGone);
    // Of a ticket that was confirmed and not paid, the chain does not know the rate.
    const isSame = [...this.books.sales].every(([key, { visit, moves, confirmedUnits }]) => {
      const then = books.sales.get(key);
      const isNobodyElses = visit?.number === then?.visit?.number && moves === then?.moves;
      return isNobodyElses && confirmedUnits === then?.confirmedUnits;
    });
    if (!isSame) return;
    await this.shop.goBack(moment.copy);
    this.books = books;
    const { kysely } = this.shop.database;
    for (const { sent } of told)
      await inTransaction(kysely, (queries) => storeReport(queries, ACCOUNT, sent, this.shop.rules));
    // The tickets of what no report has changed since are its own from its next decision on.
    const sales = await Promise.all(told.map(({ key }) => this.shop.sale(key)));
    await inTransaction(kysely, (queries) => decideSales(queries, idsOf(sales), this.shop.rules));
    for (const { id } of await this.#listPayouts()) this.#unjudged.add(id);
    if (this.#startedWith === undefined) await this.quiet(0);
    else await this.#start(this.#startedWith);
  }

  async #paidBySale(): Promise<Map<string, bigint>> {
    const rows = await this.shop.database.kysely
      .selectFrom("payouts")
      .innerJoin("purchases", "purchases.id", "payouts.token_id")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .select(["sale_key", "payouts.amount_gwei"])
      .where("sale_key", "like", `${this.#name}-%`)
      .execute();
    const bySale = Map.groupBy(rows, ({ sale_key }) => sale_key);
    return new Map([...bySale].map(([key, some]) => [key, some.reduce((sum, row) => sum + row.amount_gwei, 0n)]));
  }

  #key(number: number): string {
    return `${this.#name}-${number}`;
  }

  #setRates(chz: bigint, dollar: bigint): void {
    const isSame = this.shop.weiPerCent === chz * 10n ** 15n && this.books.rates.get("USD") === dollar;
    if (!isSame) this.#moments = [];
    this.shop.weiPerCent = chz * 10n ** 15n;
    this.books.weiPerCent = this.shop.weiPerCent;
    this.books.rates.set("USD", dollar).set("JPY", 30_000n);
    this.shop.rules = this.#withLimits({
      ...RULES,
      accounts: this.#accounts,
      mintDelayMs: 0n,
      fx: { url: undefined, fixed: new Map(this.books.rates) },
    });
  }

  async #report(one: Report, killAt: number): Promise<void> {
    const key = this.#key(one.sale);
    const last = this.#told.get(key)?.sent;
    const isLate = one.isLate && last !== undefined && !one.isAhead && !this.#said.get(one.sale)?.isAhead;
    const ahead = BigInt(Date.now() + AHEAD_MS);
    // The first two sales are of one order.
    const order = `${this.#name} ${Math.max(1, one.sale)}`;
    const visit = one.visit === null ? undefined : this.#visits[one.visit];
    this.#time += 10n;
    const sent = reportOf(one.visit === null ? undefined : this.#clicks[one.visit], {
      saleKey: key,
      ...(this.#ofSecondStore.has(one.sale) && { advertiserId: SECOND_STORE.advertiser_id }),
      orderRef: one.sale === 0 ? ` ${order} ` : order,
      status: one.status,
      payable: one.payable,
      currency: one.currency,
      amountMicros: (one.cents ?? 0n) * 10_000n,
      trackedBrlMicros: one.brlCents === null ? null : one.brlCents * 10_000n,
      commissionMicros: one.pays === null || one.currency !== "BRL" ? null : (one.cents ?? 0n) * one.pays,
      commissionCurrency: null,
      drift: one.drift === null ? null : [{ code: "missing", field: one.drift }],
      ...(one.cents === null && { isUnread: true as const }),
      occurredAt: last?.occurredAt ?? BigInt(Date.now() + 30_000),
      changedAt: one.isAhead ? ahead : isLate ? (last.changedAt ?? 0n) - 1n : this.#time,
    });
    await this.#twice(killAt, (queries) => storeReport(queries, ACCOUNT, sent, this.shop.rules));
    if (isLate) return;
    await this.#compareAgain(key);
    this.#said.set(one.sale, one);
    const store: Visit["store"] = this.#ofSecondStore.has(one.sale) ? "second" : "first";
    const facts = { ...one, visit, store, drift: one.isAhead ? `${one.drift} at ${ahead}` : one.drift };
    this.#told.set(key, { key, order, facts, sent });
    this.books.reported(key, order, facts);
    await this.#review();
  }

  async #decide(kind: "again" | "release" | "decline", key: string, killAt: number): Promise<void> {
    const sent = this.#told.get(key)?.sent;
    if (!sent) return;
    const { id } = await this.shop.sale(key);
    const by = { rules: this.shop.rules, actor: this.#admin };
    if (kind === "again") await this.#twice(killAt, (queries) => storeReport(queries, ACCOUNT, sent, by.rules));
    else if (kind === "decline") {
      if (this.books.sales.get(key)?.isDeclinedByStaff) return;
      await this.#twice(killAt, (queries) => declineSale(queries, id, "no", by));
      this.books.declined(key);
    } else {
      if (!this.books.canRelease(key)) return;
      const holds = (await this.shop.sale(key)).hold_reasons.split(" ").filter(Boolean);
      // A restored shop finds a ticket of it for the buyer of then, which these books have forgotten.
      if (holds.includes("other_ticket")) return;
      await this.#noteUndecided();
      await this.#twice(killAt, (queries) => releaseSale(queries, id, { ...by, holds }));
      this.books.released(key);
    }
    if (kind !== "again") await this.#compareAgain(key);
    await this.#review();
  }

  /** What was just decided is not decided otherwise, nor is what was decided with it. */
  async #compareAgain(key: string): Promise<void> {
    const { kysely } = this.shop.database;
    const { id, order_key } = await this.shop.sale(key);
    const ofOrder = await kysely.selectFrom("sales").select("id").where("order_key", "=", order_key).execute();
    const before = await this.#rows(idsOf(ofOrder));
    await inTransaction(kysely, (queries) => decideSales(queries, [id], this.shop.rules));
    expect(await this.#rows(idsOf(ofOrder)), `${key} decided again at once`).to.deep.equal(before);
  }

  /** The visit that a sale belongs to. */
  #visitOf(number: number): number | null {
    return this.books.sales.get(this.#key(number))?.visit?.number ?? null;
  }

  async #net({ sale: number, others, chz, cents, isSlow }: Fact & { kind: "net" }): Promise<void> {
    const visit = this.#visitOf(number) ?? number;
    const say = (one: number, more: Partial<Report>) =>
      this.#report({ ...PLAIN, sale: one, visit: this.#visitOf(one) ?? visit, ...more }, 0);
    // Then none of the others is kept whole, which is final. The first two sales are of one order.
    const sales = new Set([number, ...others]);
    const isOneOrder = sales.has(0) && sales.has(1);
    const isNew = [...sales].every((one) => !this.#said.has(one)) && !others.includes(number);
    const waits = isSlow && isNew && !isOneOrder;
    await say(number, waits ? { cents: 1_000n } : {});
    await this.quiet(0);
    for (const one of others) await say(one, { payable: false, cents });
    await this.quiet(0);
    this.#setRates(chz, 5_000_000n);
    await say(number, { status: "declined" });
    // Of one order, these books do not know whether what it lifts of a debt makes the order another one's before it is back.
    for (const one of others) if (!isOneOrder || one !== number) await say(one, { cents });
    if (waits) {
      await this.#runWithoutApprovals(others);
      for (const one of others) await say(one, { payable: false, cents });
      await this.quiet(0);
      for (const one of others) await say(one, { cents });
    }
    await this.quiet(0);
    await say(number, { cents: cents + 10_000n });
    await this.quiet(0);
  }

  /** A payout cannot be taken back, so that a paid sale stays where it is. docs/product.md#sales-buyer */
  async #assign({ sale: number, visit, chz }: Fact & { kind: "assign" }, killAt: number): Promise<void> {
    const own = this.#visitOf(number);
    await this.#report({ ...PLAIN, sale: number, visit: own, payable: false }, 0);
    await this.quiet(0);
    const [key, to, click] = [this.#key(number), this.#visits[visit], this.#clicks[visit]];
    const book = this.books.sales.get(key);
    if (!book || !to || !click || book.isPaid || book.isDeclined) return;
    this.#setRates(chz, 5_000_000n);
    this.#ofSecondStore.add(number);
    await this.#report({ ...PLAIN, sale: number, visit: own, payable: false }, 0);
    await this.quiet(0);
    if (book.visit?.store === "second") return;
    await this.#noteUndecided();
    const { id, hold_reasons } = await this.shop.sale(key);
    const by = { rules: this.shop.rules, actor: this.#admin, holds: hold_reasons.split(" ").filter(Boolean) };
    await this.#twice(killAt, (queries) => assignSale(queries, id, click.token, by));
    this.books.assigned(key, to);
    await this.#compareAgain(key);
    await this.quiet(0);
    await this.#report({ ...PLAIN, sale: number, visit: own }, 0);
    await this.quiet(0);
  }

  /** What is kept of the other sale for a payout that never happened would be lost. docs/product.md#debt */
  async #revertBeside(
    { sale: number, other, cents, isBackBefore }: Fact & { kind: "revert beside" },
    killAt: number,
  ): Promise<void> {
    const visit = this.#visitOf(number) ?? number;
    const say = (one: number, more: Partial<Report>) =>
      this.#report({ ...PLAIN, sale: one, visit: this.#visitOf(one) ?? visit, ...more }, 0);
    await this.#revert(number, async () => {
      await say(number, { status: "declined" });
      if (other !== number) await say(other, { cents });
      await this.#dying(killAt, (database) => this.shop.plan(database));
      await this.#runWithApprovals();
      await this.#readUnderWay();
      // Of an order that both are parts of, this one may be paid while that one is declined.
      this.books.quiet();
      // What the payout in flight kept is owed again once it has reverted, beside what was paid meanwhile.
      for (const wallet of this.#wallets()) this.#received.set(wallet, await this.#receivedBy(wallet));
      // Of one order, the first two sales: these books do not know which of them came first.
      const isOfOneOrder = other !== number && Math.max(number, other) === 1;
      if (isBackBefore && !isOfOneOrder) await say(number, { cents });
    });
    await say(number, { cents: cents + 10_000n });
    await this.quiet(0);
  }

  /** Sends the sale's payout if it has one, and lets it revert after what happens meanwhile. */
  #revert(number: number, meanwhile: () => Promise<void>): Promise<void> {
    return this.#send(number, async (_pay, transactionId) => {
      await meanwhile();
      const { kysely } = this.shop.database;
      const { rules } = this.shop;
      const payer = this.#visits[0]?.wallet as `0x${string}`;
      const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer, rules });
      await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transactionId, "reverted"));
      // It is tried again after a while.
      const waiting = kysely.updateTable("operations").where("status", "in", ["queued", "waiting"]);
      await waiting.set({ status: "queued", not_before: 0n }).execute();
    });
  }

  /** A payout that is queued or on its way counts as paid for everybody else. */
  #tellWhilePaying({ sale: number, meanwhile, isSent }: Fact & { kind: "paying" }): Promise<void> {
    const tell = async (pay: Operation) => {
      this.books.quiet();
      await this.#report(meanwhile, 0);
      await this.#compareHolds();
      if (isSent) await this.shop.mineSent(pay.id);
    };
    return isSent ? this.#send(number, tell) : this.#queue(number, tell);
  }

  /** Sends the sale's payout if it has one; then this happens. */
  #send(number: number, onSent: (pay: Operation, transactionId: bigint) => Promise<void>): Promise<void> {
    return this.#queue(number, async (pay) => {
      const transactionId = await this.shop.send(pay);
      await this.#readUnderWay();
      await onSent(pay, transactionId);
    });
  }

  /** Queues the sale's payout if it has one; then this happens. */
  async #queue(number: number, onQueued: (pay: Operation) => Promise<void>): Promise<void> {
    const own = this.#visitOf(number) ?? number;
    await this.#report({ ...PLAIN, sale: number, visit: own, payable: false }, 0);
    await this.quiet(0);
    await this.#report({ ...PLAIN, sale: number, visit: own }, 0);
    if (await this.#isKeptByPlan(number)) return this.quiet(0);
    const pay = await this.#findQueuedPayout(number);
    if (pay) {
      this.books.took(this.#key(number));
      await onQueued(pay);
    }
    await this.quiet(0);
  }

  #findQueuedPayout(number: number): Promise<Operation | undefined> {
    return this.shop.database.kysely
      .selectFrom("operations")
      .innerJoin("purchases", "purchases.id", "operations.subject_id")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .selectAll("operations")
      .where("sales.sale_key", "=", this.#key(number))
      .where("operations.kind", "=", "pay")
      .where("operations.status", "=", "queued")
      .executeTakeFirst();
  }

  /** Plans. Returns whether one of the sale's purchases was kept whole, which is final before the books know it. */
  async #isKeptByPlan(number: number): Promise<boolean> {
    const settled = this.shop.database.kysely
      .selectFrom("purchases")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .select("purchases.id")
      .where("sales.sale_key", "=", this.#key(number))
      .where("purchases.settled_at", "is not", null);
    const before = await settled.execute();
    await this.shop.plan();
    return (await settled.execute()).length > before.length;
  }

  /** A process that dies in its middle, and another one. */
  async #twice(killAt: number, work: (queries: Queries) => Promise<unknown>): Promise<void> {
    const isDone = await this.#dying(killAt, ({ kysely }) => inTransaction(kysely, work));
    if (!isDone) await inTransaction(this.shop.database.kysely, work);
  }

  /** Dies at a query; zero does nothing. Returns whether it came to its end. */
  async #dying(at: number, work: (database: Database) => Promise<unknown>): Promise<boolean> {
    if (at === 0) return false;
    let left = at;
    const kysely = this.shop.database.kysely.withPlugin({
      transformQuery({ node }) {
        if (--left === 0) throw new LeaseLostError("killed");
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    try {
      await work({ ...this.shop.database, kysely });
      return true;
    } catch (error) {
      if (error instanceof LeaseLostError) return false;
      throw error;
    }
  }

  async #compare(): Promise<void> {
    const { kysely } = this.shop.database;
    for (const wallet of this.#wallets()) {
      const received = await this.#receivedBy(wallet);
      const before = this.#received.get(wallet) ?? 0n;
      this.#received.set(wallet, received);
      const debt = await outstandingDebt(kysely, wallet);
      const { least, most } = this.books.settled(wallet);
      const figures = `received ${received} (${before} before), debt ${debt}, by the books ${least} to ${most}`;
      expect(debt >= 0n && received - debt >= least && received - debt <= most, figures).to.equal(true);
      expect(received === before || debt === 0n, `paid beside a debt: ${figures}`).to.equal(true);
      const worth = await this.#compareStatement(wallet);
      const expected = this.books.worth(wallet);
      if (expected === undefined) continue;
      // Each purchase is rounded down to a gwei.
      const [difference, rounding] = [worth.gwei - expected, BigInt(worth.purchases)];
      const isRounding = difference <= rounding && -difference <= rounding;
      expect(isRounding, `worth ${difference} more than ${expected} by the books`).to.equal(true);
    }
    await this.#compareApprovals();
    const sales = await this.#compareHolds();
    for (const { row, book } of sales) {
      if (row.state === "held" || !book.visit) continue;
      expect(await this.#promised(row.id), `${row.sale_key}`).to.equal(book.entitled);
    }
    const own = await kysely
      .selectFrom("purchases")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .select("purchases.id")
      .where("sales.sale_key", "like", `${this.#name}-%`)
      .execute();
    expect(await findWrongPayments(kysely, own[0]?.id), "payments by the chain").to.deep.equal([]);
    const kept = kysely.selectFrom("purchases").select("id").where("reversed_at", "is not", null);
    expect(await kept.where("offset_gwei", "<>", 0n).execute(), "kept of what is withdrawn").to.deep.equal([]);
    const ids = sales.map(({ row }) => row.id);
    const again = () => inTransaction(kysely, (queries) => decideSales(queries, ids, this.shop.rules));
    const { sales: _facts, ...money } = await this.#rows(ids);
    await again();
    const { sales: decided, ...sameMoney } = await this.#rows(ids);
    expect(sameMoney, "decided again").to.deep.equal(money);
    // What the chain did since the last decision is noted by the first one, and by no further one.
    await again();
    expect((await this.#rows(ids)).sales, "decided a third time").to.deep.equal(decided);
    for (const row of decided) {
      const book = this.books.sales.get(row.sale_key);
      if (!book?.visit || row.state === "held" || book.least !== book.most) continue;
      const paid: string = row.counted === "" ? "0" : JSON.parse(row.counted).paid_cent_bps;
      expect(BigInt(paid), `${row.sale_key} paid in the totals`).to.equal(book.least);
    }
  }

  async #compareHolds() {
    const { kysely } = this.shop.database;
    const rows = await kysely.selectFrom("sales").selectAll().where("sale_key", "like", `${this.#name}-%`).execute();
    return rows.map((row) => {
      const book = this.books.sales.get(row.sale_key);
      if (!book) throw new Error(`No book for ${row.sale_key}`);
      if (row.state !== "unmatched") {
        // What is over is not decided because an account is gone.
        const isOver = row.state === "settled" && this.books.isAccountGone;
        if (!isOver)
          expect(row.state === "held", `${row.sale_key} held: ${row.hold_reasons}`).to.equal(this.books.isHeld(book));
      }
      expect(row.lost_cent_bps, `${row.sale_key} lost`).to.equal(book.lost);
      return { row, book };
    });
  }

  /** What one person's decisions paid a day, without a second one who agreed, is at most the limit. */
  async #compareApprovals(): Promise<void> {
    const { aboveGwei } = this.shop.approvals;
    if (aboveGwei === undefined) return;
    const payouts = await this.#listPayouts();
    const judged = payouts.filter(({ id, decided_by }) => decided_by !== null && !this.#unjudged.has(id));
    const alone = payouts.filter(({ approved_by, decided_by }) => decided_by !== null && approved_by === null);
    for (const [day, ofDay] of Map.groupBy(alone, (one) => `${one.decided_by} on day ${one.decided_day}`)) {
      // What was paid before a limit counts too: above it, nothing more is paid.
      if (!ofDay.some((one) => judged.includes(one))) continue;
      const sum = ofDay.reduce((total, { amount_gwei }) => total + amount_gwei, 0n);
      expect(sum <= aboveGwei, `${sum} of at most ${aboveGwei} paid by ${day} alone`).to.equal(true);
    }
    for (const { approved_by, decided_by } of judged) expect(approved_by, "another one").to.not.equal(decided_by);
  }

  /** What staff decide from now on is none of what was paid before. */
  async #noteUndecided(): Promise<void> {
    const paid = await this.#listPayouts();
    for (const { id } of paid.filter(({ decided_by }) => decided_by === null)) this.#unjudged.add(id);
  }

  /** What was paid, by whose decision, and who agreed to it. */
  #listPayouts() {
    return this.shop.database.kysely
      .selectFrom("payouts")
      .innerJoin("purchases", "purchases.id", "payouts.token_id")
      .leftJoin("approvals", (join) =>
        join.onRef("approvals.purchase_id", "=", "purchases.id").on("approvals.state", "=", "used"),
      )
      .select(["purchases.id", "payouts.amount_gwei", "purchases.decided_by", "purchases.decided_day"])
      .select("approvals.decided_by as approved_by")
      .where("payouts.recipient", "in", [...this.#wallets()])
      .execute();
  }

  #wallets(): Set<`0x${string}`> {
    return new Set(this.#visits.map((visit) => visit.wallet as `0x${string}`));
  }

  async #receivedBy(wallet: `0x${string}`): Promise<bigint> {
    const { kysely } = this.shop.database;
    const payouts = await kysely.selectFrom("payouts").select("amount_gwei").where("recipient", "=", wallet).execute();
    return payouts.reduce((sum, row) => sum + row.amount_gwei, 0n);
  }

  /** The figures are what was received, the debt, and the lines. docs/product.md#statement */
  async #compareStatement(wallet: `0x${string}`, confirmations = 1): Promise<{ gwei: bigint; purchases: number }> {
    const { kysely } = this.shop.database;
    const debt = await outstandingDebt(kysely, wallet);
    const cursor = await kysely.selectFrom("chain_cursor").select("block_number").executeTakeFirstOrThrow();
    const rate = this.shop.weiPerCent;
    const view = purchaseViewAt(cursor.block_number, { rate, confirmations, isLive: true });
    const totals = await readBuyerTotals(kysely, wallet);
    const left = (await this.#refusedBy(wallet)) - (this.#withdrawn.get(wallet) ?? 0n);
    const statement = await readStatement(kysely, wallet, { totals, view, readCredit: async () => left * 10n ** 9n });
    const payouts = await kysely.selectFrom("payouts").selectAll().where("recipient", "=", wallet).execute();
    const final = payouts.filter((row) => row.block_number <= view.shownUpTo);
    const received = final.reduce((sum, row) => sum + row.amount_gwei, 0n) - statement.credit;
    expect(statement.in_wallet, "in the wallet").to.equal(received);
    expect(statement.to_offset, "to offset").to.equal(debt > 0n ? debt : 0n);
    // Each line lies in one figure, and a figure is nothing but its lines and what was withdrawn of the credits.
    const lines = { in_wallet: 0n, on_the_way: 0n, waiting: 0n, to_offset: statement.to_offset };
    const rows = await listPurchases(kysely, wallet, { limit: 1_000 });
    for (const row of rows) {
      const record = toPurchaseRecord(row, view);
      const { figure } = SITUATIONS[record.situation];
      const sent = record.situation === "credit" || record.situation === "paying" ? row.paid_gwei : null;
      const paid = record.paid_amount === null ? sent : gweiOf(record.paid_amount);
      if (figure) lines[figure] += paid ?? gweiOf(record.cashback_amount) - gweiOf(record.kept_amount);
    }
    const refused = final.reduce((sum, row) => sum + (row.state === "deferred" ? row.amount_gwei : 0n), 0n);
    lines.in_wallet += refused - statement.credit;
    lines.on_the_way -= refused - statement.credit;
    for (const { gwei } of statement.inReview) lines.waiting += gwei;
    const { in_wallet, on_the_way, waiting, to_offset } = statement;
    expect({ in_wallet, on_the_way, waiting, to_offset }, "the figures").to.deep.equal(lines);
    // The one equation: the total is nothing but its four parts. No history has a purchase that is never paid.
    const kept = rows.reduce((sum, row) => sum + row.offset_gwei, 0n);
    expect(statement.deducted, "already deducted").to.equal(kept);
    const ofPurchases = totals.confirmed_gwei + totals.pending_gwei;
    const unfrozen =
      cashbackOfCentBps(totals.confirmed_cent_bps, rate) + cashbackOfCentBps(totals.pending_cent_bps, rate);
    const held = statement.inReview.reduce((sum, { gwei }) => sum + gwei, 0n);
    const wire = toWireStatement(statement);
    expect(gweiOf(wire.total ?? ""), "the total").to.equal(in_wallet + on_the_way + waiting + kept);
    expect(gweiOf(wire.total ?? ""), "the total by the purchases").to.equal(ofPurchases + unfrozen + held);
    return { gwei: in_wallet + on_the_way + waiting - to_offset, purchases: rows.length };
  }

  /** What a wallet refused so far, in gwei. */
  async #refusedBy(wallet: string): Promise<bigint> {
    const rows = await this.shop.database.kysely
      .selectFrom("payouts")
      .select("amount_gwei")
      .where("recipient", "=", wallet as `0x${string}`)
      .where("state", "=", "deferred")
      .execute();
    return rows.reduce((sum, row) => sum + row.amount_gwei, 0n);
  }

  /** What a sale's purchases paid and still promise, in centavos × basis points. */
  async #promised(saleId: bigint): Promise<bigint> {
    const { kysely } = this.shop.database;
    const rows = await kysely.selectFrom("purchases").selectAll().where("sale_id", "=", saleId).execute();
    const ids = rows.map(({ id }) => id);
    const owed = await kysely
      .selectFrom("adjustments")
      .selectAll()
      .where("purchase_id", "in", [0n, ...ids])
      .execute();
    const live = rows.filter((row) => row.reversed_at === null).reduce((sum, row) => sum + row.cashback_cent_bps, 0n);
    return live - owed.reduce((sum, row) => sum + row.cent_bps, 0n);
  }

  /** Held sales with their tickets, and what became of these; one may be cancelled. */
  #heldTickets() {
    const { kysely } = this.shop.database;
    return kysely
      .selectFrom("sales")
      .leftJoin("purchases", "purchases.sale_id", "sales.id")
      .leftJoin("nfts", "nfts.token_id", "purchases.id")
      .leftJoin("payouts", "payouts.token_id", "purchases.id")
      .select(["sales.sale_key", "nfts.token_id", "payouts.amount_gwei"])
      .select(sql<boolean>`nfts.status = 2`.as("is_confirmed"))
      .where("sale_key", "like", `${this.#name}-%`)
      .where("sales.state", "=", "held")
      .orderBy("sales.id")
      .orderBy("nfts.token_id")
      .execute();
  }

  async #rows(sales: readonly bigint[]) {
    const { kysely } = this.shop.database;
    const some = [0n, ...sales];
    const purchases = await kysely
      .selectFrom("purchases")
      .selectAll()
      .where("sale_id", "in", some)
      .orderBy("id")
      .execute();
    const ids = [0n, ...purchases.map(({ id }) => id)];
    return {
      purchases,
      sales: await kysely.selectFrom("sales").selectAll().where("id", "in", some).orderBy("id").execute(),
      debts: await kysely
        .selectFrom("adjustments")
        .selectAll()
        .where("purchase_id", "in", ids)
        .orderBy("purchase_id")
        .orderBy("revision_id")
        .execute(),
      queued: await kysely.selectFrom("operations").selectAll().where("subject_id", "in", ids).orderBy("id").execute(),
    };
  }
}

function accountCalled(account: string) {
  return awin.accountSchema.parse({ ...ACCOUNT, account, publisher_id: "45628", token: "a-token" });
}

/** What a day pays above an account's usual one would wait for a person, and with it all that follows. */
async function openAccount({ kysely }: Database): Promise<void> {
  await inTransaction(kysely, async (queries) => {
    await noteAccounts(queries, [accountCalled(ACCOUNT.account)], []);
    const [account] = await findAccounts(queries, [ACCOUNT]);
    for (const day of [0, 1])
      await announceSalesDay(queries, {
        ...{ accountId: account?.id ?? 0n, actor: "announcer" },
        dayMs: BigInt(Date.now() + day * DAY_MS),
      });
  });
}

describe("The books of sales whose facts change", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  onEitherEngine(({ open, name }) => {
    async function check(runs: number, lane = 0) {
      let shop: Shop | undefined;
      let count = 0;
      const parameters = seeded<[Step[]]>(runs);
      if (lane > 0 && parameters.path !== undefined) return;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12, size: "max" }), async (steps) => {
          // A filled database takes longer; a new one a moment.
          if (count++ % HISTORIES_A_DATABASE === 0 || shop === undefined) {
            await shop?.database.close();
            shop = await newShop();
          }
          const history = new History(shop, steps);
          await history.begin();
          for (const one of steps) await history.do(one);
          await history.end();
        }),
        { ...parameters, seed: (parameters.seed ?? 0) + lane },
      );
    }

    const newShop = async () => {
      const { database } = await open();
      // No machine fails here: commits that wait for the disk would take most of the time.
      if (name === "SQLite") await sql`pragma synchronous = off`.execute(database.kysely);
      const shop = await Shop.open(database);
      await openAccount(database);
      return shop;
    };

    const tag = name === "SQLite" ? "" : " @release";
    it(`are those of an independent bookkeeper, also where a mistake would be hard to see${tag}`, async () => {
      const shop = await newShop();
      for (const [mistake, steps] of Object.entries(TOLD)) {
        const history = new History(shop, steps);
        await history.begin();
        try {
          for (const one of steps) await history.do(one);
          await history.end();
        } catch (error) {
          throw new Error(`As if ${mistake}`, { cause: error });
        }
      }
    });

    if (name === "SQLite") it("are those of an independent bookkeeper, after every step", () => check(RUNS));

    it("are those of an independent bookkeeper in many more histories @release", async function () {
      this.timeout(DEEP_TIMEOUT_MS);
      const lanes = Array.from({ length: LANES[name] }, (_, lane) =>
        check(Math.ceil(RUNS_IN_DEPTH / LANES[name]), lane),
      );
      await Promise.all(lanes);
    });
  });
});
