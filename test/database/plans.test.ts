import { expect } from "chai";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  type SqlBool,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import { isOpenApproval, listApprovals } from "../../api/admin/approvals.ts";
import { listAccounts, listMargin } from "../../api/admin/margin.ts";
import { deleteOldPictures } from "../../api/clicks/pictures.ts";
import { deleteOldShopEvents } from "../../api/hooks/routes.ts";
import { deleteEndedCounts, Purse } from "../../api/http/purses.ts";
import {
  countedBy,
  countMails,
  deleteOldMails,
  dropWaiting,
  isLinkRefused,
  listDueMails,
  oldestWaiting,
} from "../../api/mail/queue.ts";
import { findByUnsubscribeToken, findVerification } from "../../api/mail/subscriptions.ts";
import { storedFaults } from "../../api/operations/system-faults.ts";
import { deleteExpired, findVisitors } from "../../api/people/sessions.ts";
import { listUsers } from "../../api/people/users.ts";
import { deleteStoredAnswers } from "../../api/purchases/idempotency-keys.ts";
import { listBoosts, listDueTurns } from "../../core/catalogue/boosts.ts";
import { endUnlisted, saveListed } from "../../core/catalogue/network-offers.ts";
import { listRunning, nextTurn } from "../../core/catalogue/offer-list.ts";
import { deleteOldOffers, listBegun, listStoreOffers } from "../../core/catalogue/offers.ts";
import { listPercentApprovals } from "../../core/catalogue/percent-approvals.ts";
import { IS_DRAFT, listStorePage } from "../../core/catalogue/store-list.ts";
import { readBoosts } from "../../core/catalogue/stores.ts";
import { readCatalogueVersion } from "../../core/catalogue/version.ts";
import { listAudit } from "../../core/database/audit-log.ts";
import { readAuthors } from "../../core/database/changed-facts.ts";
import type { Database } from "../../core/database/connect.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { findLastDone, findWaiting, listDueProposals, listProposals, propose } from "../../core/database/proposals.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { listWaiting, readDays, readDraws } from "../../core/purchases/account-books.ts";
import { countAttention } from "../../core/purchases/attention.ts";
import { listDebts, outstandingDebt } from "../../core/purchases/debt.ts";
import { decideSales, registerSimulated } from "../../core/purchases/decide-sales.ts";
import { takeDue } from "../../core/purchases/due.ts";
import { readDayShares } from "../../core/purchases/encoders.ts";
import {
  deleteOldEvents,
  listEvents,
  listMailable,
  markRead,
  readUnread,
  recordClaimAnswer,
  recordDebts,
  recordTracked,
  setMailAt,
} from "../../core/purchases/events.ts";
import { listUnreviewed } from "../../core/purchases/held-reviews.ts";
import { isAnyDue, planNextSteps } from "../../core/purchases/next-step.ts";
import { readFigures } from "../../core/purchases/overview.ts";
import { firstPaidAt, listPaidAmounts, listPayments } from "../../core/purchases/payments.ts";
import { listOperationPage, listPayouts } from "../../core/purchases/payout-list.ts";
import { IS_HELD, listPanelPurchases } from "../../core/purchases/purchase-list.ts";
import { findPurchase, listPurchases, listTickets, listUnpaid, selectPurchases } from "../../core/purchases/queries.ts";
import { emptyTotals, readBuyerTotals } from "../../core/purchases/shop-totals.ts";
import { readStatement, sumPaidAbove } from "../../core/purchases/statement.ts";
import { fixedRate } from "../../core/rates/rate-source.ts";
import { highestFinalNonce, highestIds, listLedger, listOddPayouts, sumPayouts } from "../../core/reconcile/ledger.ts";
import { EVENTS_KEPT_MS } from "../../core/rules/events.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { deleteOldClicks, insertClicks, listClicks } from "../../core/sales/clicks.ts";
import { readConversion } from "../../core/sales/conversion.ts";
import { storePushes } from "../../core/sales/hints.ts";
import { listLateBonuses } from "../../core/sales/late-bonuses.ts";
import {
  claimLogos,
  expediteTerms,
  findDueProgramme,
  listSuggested,
  readByAdvertiser,
} from "../../core/sales/programme-rows.ts";
import {
  listAllClaims,
  listClaims,
  listRevisions,
  listSales,
  listWithoutRate,
  sumReported,
} from "../../core/sales/queries.ts";
import { readStorePace } from "../../core/sales/store-pace.ts";
import { listLongestUnread } from "../../core/sales/unread-sales.ts";
import { listSetAside } from "../../core/sender/dispatch.ts";
import { listAssigned, noteSentShares } from "../../core/sender/moves.ts";
import { listDue, type Operation, summarizeDue, summarizeQueue } from "../../core/sender/queue.ts";
import { listMined, listSigned } from "../../core/sender/receipts.ts";
import { highestNonce } from "../../core/sender/transactions.ts";
import { fill, walletOf } from "../bench/scale/fill.ts";
import { RULES } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";

const PURCHASES = 20_000;
/** In tables that do not grow with the shop's history. */
const ROWS = 2_000;
const BUYER = walletOf(7);
const IDS = [1n, 77n, 5_000n];
const LONG_AGO = BigInt(Date.parse("2000-01-01"));
/** Tables that grow with the shop. */
const BIG_TABLES = [
  "purchases",
  "due_purchases",
  "nfts",
  "payouts",
  "operations",
  "transactions",
  "transaction_hashes",
  "chain_events",
  "chain_blocks",
  "sales",
  "sale_revisions",
  "clicks",
  "claims",
  "users",
  "buyer_totals",
  "adjustments",
  "sessions",
  "audit_log",
  "approvals",
  "store_boosts",
  "offers",
  "programmes",
  "account_losses",
  "sale_totals",
  "percent_approvals",
  "events",
  "event_readers",
  "mails",
  "account_draws",
  "account_waits",
  "account_days",
  "account_bookings",
  "proposals",
  "fact_authors",
  "purse_counts",
];

/** Indexes of few rows, which may be read whole; PostgreSQL takes an empty one for an empty list of ids. */
const FEW_ROWS = ["users_erased", "mails_due_at", "mails_waiting", "sales_return_due", "programmes_logo"];

const planOptions = {
  rules: RULES,
  rates: fixedRate(10n ** 16n),
  approvals: { aboveGwei: undefined, roleOf: () => undefined },
  stepDelayMs: 0,
  payoutConfirmations: 1,
  assertLease: async () => {},
};

const ONE_MAIL = { thread: 0, node: 0, stored: 0, mail: 1 };
const OF_NETWORK = { network: "awin", account: "main" };
/** An offer of a network, as a page lists it. */
const listed = (key: string) => ({
  ...{ store: { id: 3n, name: "Loja", store_url: null, domains: null }, key, title: "a", code: null, terms: null },
  ...{ url: null, startsAt: null, endsAt: null, withCashback: true },
});
/** A payout that an account's share is taken for. */
const sentOf = (id: bigint) => standIn<Operation>({ id, share_id: id, amount_gwei: 1n });

/** The queries of every request, sender round or page. */
const HOT: Record<string, (queries: Queries, database: Database) => Promise<unknown>> = {
  "what is due": (queries) => isAnyDue(queries, 10n),
  "the purchases that are due": (queries) => takeDue(queries, 10n, 100),
  "a round of the planner": (queries, database) => planNextSteps({ ...database, kysely: queries }, planOptions),
  "a page of purchases": (queries) => listPurchases(queries, BUYER, { limit: 50 }),
  "a buyer's last page": (queries) => listPurchases(queries, BUYER, { limit: 50, before: 900n }),
  "a page of tickets": (queries) => listTickets(queries, BUYER, { limit: 50, before: 900n }),
  "one purchase": (queries) => findPurchase(queries, 77n),
  "the newest purchases": (queries) => selectPurchases(queries).orderBy("purchases.id", "desc").limit(10).execute(),
  "a buyer's totals": (queries) => readBuyerTotals(queries, BUYER),
  "a buyer's newest payouts": (queries) => sumPaidAbove(queries, BUYER, 10n),
  "a buyer's statement": (queries) =>
    readStatement(queries, BUYER, {
      ...{ totals: emptyTotals(), view: { rate: 1n, shownUpTo: 10n, now: 1n, isLive: true } },
      readCredit: async () => 0n,
    }),
  "a page of a buyer's payments": (queries) =>
    listPayments(queries, BUYER, {
      // Small enough for the test's tables: for 500 of their rows, PostgreSQL reads a whole one.
      ...{ from: 0n, to: 10n ** 13n, shownUpTo: 10n ** 9n, limit: 50 },
      after: { paid_at: 5n, token_id: 77n },
    }),
  "a page of a buyer's sums": (queries) =>
    listPaidAmounts(queries, BUYER, { from: 0n, to: 10n ** 13n, shownUpTo: 10n ** 9n, limit: 500, after: undefined }),
  "a buyer's first payment": (queries) => firstPaidAt(queries, BUYER),
  "a buyer's debts": (queries) => listDebts(queries, BUYER, 50),
  "a buyer's debt": (queries) => outstandingDebt(queries, BUYER),
  "the overview": (queries) => readFigures(queries, 10n ** 16n),
  "the callers of a moment": (queries) => findVisitors(queries, ["a", "b"]),
  "the registrations of a moment": (queries) =>
    registerSimulated(queries, [registration(4), registration(5)], { rules: RULES, mintDelayMs: 0n }),
  "the visits of a moment": (queries) => insertClicks(queries, [visit()]),
  "a page of visits": (queries) => listClicks(queries, BUYER, { limit: 50 }),
  "the sales of visits": (queries) => sumReported(queries, IDS),
  "the conversion of some stores": (queries) => readConversion(queries, IDS, "2026-01"),
  "the pace of a store": (queries) => readStorePace(queries, 3n),
  "what a buyer has said of stores": (queries) => readAuthors(queries, [BUYER], ["store:1", "store:2", "account:a/b"]),
  "the revisions of a sale": (queries) => listRevisions(queries, 77n),
  "the sales to reread": (queries) =>
    listLongestUnread(
      queries,
      { network: "awin", account: "main", states: ["payable", "declined", "settled"] },
      { unreadSince: Date.now(), changeableSince: 0, limit: 100 },
    ),
  "the open sales to reread": (queries) =>
    listLongestUnread(
      queries,
      { network: "awin", account: "main", states: ["held", "unmatched", "open", "approved"] },
      { unreadSince: Date.now(), changeableSince: 0, limit: 100 },
    ),
  "deciding some sales": (queries) => decideSales(queries, IDS, RULES),
  "held and declined sales to decide anew": (queries) => listUnreviewed(queries),
  "sales without a rate": (queries) => listWithoutRate(queries, { network: "awin", account: "main" }, 100),
  "a buyer's unpaid purchases": (queries) => listUnpaid(queries, BUYER, { after: 0n, limit: 100 }),
  "the open tasks": (queries) =>
    countAttention(queries, { isHeld: IS_HELD, isDraft: IS_DRAFT, isOpenApproval: isOpenApproval(), overdueSince: 1n }),
  "the faults of the installation": (queries) =>
    storedFaults(
      {
        kysely: queries as Kysely<Schema>,
        keys: [{ name: "operator", address: walletOf(99_999_999) }],
        accounts: [],
        readQueue: () => summarizeQueue(queries),
      },
      (error) => {
        throw error;
      },
    ),
  "payouts set aside": (queries) =>
    listSetAside(queries, "pay", { reasons: ["day_cap", "pool_empty"], atMostGwei: 10n ** 9n }),
  "the boosts of some stores": (queries) => readBoosts(queries, IDS, BigInt(ROWS) - 20n),
  "a store's boosts": (queries) => listBoosts(queries, 3n, { limit: 50 }),
  "the offers that run": (queries) => listRunning(queries, { limit: 50, now: BigInt(ROWS) - 100n }),
  "the next page of them": (queries) =>
    listRunning(queries, { limit: 50, now: 5n, after: { endsAt: BigInt(ROWS) - 50n, id: 3n } }),
  "a store's offers that run": (queries) => listRunning(queries, { storeId: 3n, limit: 50, now: BigInt(ROWS) - 20n }),
  "a club's offers that run": (queries) => listRunning(queries, { club: "remo", limit: 50, now: BigInt(ROWS) - 20n }),
  "a store's offers": (queries) => listStoreOffers(queries, 3n, { limit: 50 }),
  "when an offer begins or ends": (queries) => nextTurn(queries, BigInt(ROWS) - 5n),
  "the offers that have begun": (queries) => listBegun(queries, 100),
  "the offers that are long over": (queries) => deleteOldOffers(queries, BigInt(30 * DAY_MS) + 20n, 10),
  "the offers of an account that a page lists": (queries) =>
    saveListed(queries, OF_NETWORK, [listed("7"), listed("new")]),
  "the offers that a network no longer lists": (queries) => endUnlisted(queries, OF_NETWORK, BigInt(ROWS)),
  "the programmes of some stores": (queries) => readByAdvertiser(queries, OF_NETWORK, ["7", "77"]),
  "the programme whose rates are read next": (queries) => findDueProgramme(queries, OF_NETWORK),
  "a programme whose rates are read at once": (queries) => expediteTerms(queries, OF_NETWORK, "7"),
  "the logos to ask for": (queries) => claimLogos(queries, 4),
  "what stores earned in some months": (queries) => listMargin(queries, "2026-10", "2026-11"),
  "what accounts earned and lost in some months": (queries) => listAccounts(queries, "2026-10", "2026-11"),
  "the boosts that start or end": (queries) => listDueTurns(queries, 100),
  "a page of a buyer's events": (queries) => listEvents(queries, BUYER, { limit: 50 }),
  "a buyer's last events": (queries) => listEvents(queries, BUYER, { limit: 50, before: 900n }),
  "a buyer's unread events": (queries) => readUnread(queries, BUYER),
  "marking events as read": (queries) => markRead(queries, BUYER, 5_000n),
  "recording what happened": (queries) => recordTracked(queries, IDS),
  "recording debts": (queries) => recordDebts(queries, IDS),
  "recording a claim's answer": (queries) => recordClaimAnswer(queries, 3n),
  "the events to mail": (queries) => listMailable(queries, 10n, 500),
  "the events of an e-mail": (queries) => setMailAt(queries, IDS, null),
  "the oldest events": (queries) => deleteOldEvents(queries, LONG_AGO + EVENTS_KEPT_MS, 500),
  "the e-mails that are due": (queries) => listDueMails(queries, 10n, 50),
  "the e-mail that waits longest": (queries) => oldestWaiting(queries),
  "a reader's e-mails of a day": (queries) => countMails(queries, BUYER, "events", 1n),
  "whether one more link is too many": (queries) => {
    const asker = { wallet: BUYER, origin: "192.0.2.1", address: "a@b.example" };
    return isLinkRefused(queries, asker, countedBy(asker, {}));
  },
  "the links that a newer one makes void": (queries) => dropWaiting(queries, BUYER, "verify"),
  "the oldest e-mails": (queries) => deleteOldMails(queries, LONG_AGO + 90n * 86_400_000n, 500),
  "the reader of a link": (queries) => findVerification(queries, "a"),
  "who ends e-mails": (queries) => findByUnsubscribeToken(queries, "a".repeat(32), []),
  "the version of the catalogue": (queries) => readCatalogueVersion(queries),
  "a page of claims": (queries) => listClaims(queries, BUYER, { limit: 50 }),
  "the pushes of a moment": (queries) =>
    storePushes(queries, [{ key: { network: "awin", account: "1" }, saleKeys: ["1"] }]),
  "operations to send": (queries) => listDue(queries, "mint", 100),
  "what the sender has to do": (queries) => summarizeDue(queries, ["mint", "confirm", "pay"]),
  "how the operations stand": (queries) => summarizeQueue(queries),
  "the operations of a transaction": (queries) => listAssigned(queries, 1n),
  "transactions to watch": (queries) => listSigned(queries, { of: walletOf(99_999_999) }),
  "transactions that are not final": (queries) => listMined(queries, { of: walletOf(99_999_999) }),
  "the sender's next nonce": (queries) => highestNonce(queries, walletOf(99_999_999)),
  "the ledger of some ids": (queries) => listLedger(queries, IDS),
  "odd payouts of some ids": (queries) => listOddPayouts(queries, IDS, { after: -1n }),
  "the sum of all payouts": (queries) => sumPayouts(queries, 10n),
  "the highest ids": (queries) => highestIds(queries),
  "the last final nonce": (queries) => highestFinalNonce(queries, walletOf(99_999_999)),
  "clicks that led to nothing": (queries) => deleteOldClicks(queries, LONG_AGO, 500),
  "pictures of answered claims": (queries) => deleteOldPictures(queries, LONG_AGO, 500),
  "old events of shops": (queries) => deleteOldShopEvents(queries, LONG_AGO, 500),
  "ended counts": (queries) => deleteEndedCounts(queries, LONG_AGO, 500),
  "what an account was paid": (queries) => readDraws(queries, IDS),
  "what waits for an account": (queries) => listWaiting(queries, 3n, { limit: 100 }),
  "an account's last days": (queries) => readDays(queries, 3n, 10n),
  "the accounts' shares of the day": (queries) => readDayShares(queries, 1n),
  "what is sent of accounts": (queries) => noteSentShares(queries, [sentOf(1n), sentOf(2n)]),
  "what waits about somebody": (queries) => findWaiting(queries, "erase", BUYER),
  "what was done last about somebody": (queries) => findLastDone(queries, "erase", BUYER),
  "asking for an erasure": (queries) =>
    propose(queries, { kind: "erase", subject: BUYER }, { actor: walletOf(5), hasOthers: true }),
  "the proposals whose day has come": (queries) => listDueProposals(queries, 100),
  "the bonuses that are read late": (queries) => listLateBonuses(queries, 20),
  "a count of a purse": async (queries) =>
    new Purse("wallet", "wallet", { scale: 1, queries, hashed: String }).spend("one", ONE_MAIL, false),
  "expired sessions": (queries) => deleteExpired(queries, LONG_AGO, 500),
  "expired answers": (queries) => deleteStoredAnswers(queries, LONG_AGO, 500),
};

/**
 * Full table scans for which PostgreSQL has no index. In a small table a scan is cheaper than an index; what matters is
 * that an index exists for when the table is large.
 */
async function postgresUnindexed({ kysely }: Database, query: CompiledQuery): Promise<string[]> {
  const rows = await kysely.transaction().execute(async (queries) => {
    await sql`set local enable_seqscan = off`.execute(queries);
    return (await queries.executeQuery<{ "QUERY PLAN": string }>({ ...query, sql: `explain ${query.sql}` })).rows;
  });
  const scanned = rows.flatMap((row) => /Seq Scan on (\w+)/.exec(row["QUERY PLAN"])?.[1] ?? []);
  return scanned.filter((table) => BIG_TABLES.includes(table)).map((table) => `Seq Scan of ${table}`);
}

const STRETCH = "select * from (";
const WALK =
  "where (1 = 1|operations\\.kind = 'pay'( and operations\\.status (=|<>) '\\w+')?|erased_at is null|proposals\\.is_own = 0)( and 1 = 1)?";
const LIMITED_WALK = new RegExp(
  `${WALK} order by [^()]* limit [?$]|${WALK}\\) as (k limit \\d+\\) as counted|found limit \\d+)$`,
);

/**
 * Reads the rows of a list in order up to a limit, in one or several stretches, without a condition that could skip
 * many rows.
 */
function isWalk(query: CompiledQuery): boolean {
  const text = query.sql.replace(/\s+/g, " ").trim();
  return (isInStretches(query) ? text.split(" union all ") : [text]).every((part) => LIMITED_WALK.test(part));
}

function isInStretches({ sql }: CompiledQuery): boolean {
  return sql.trim().startsWith(STRETCH);
}

/** Several stretches are merged: only a sort inside one counts. */
async function isSorted(database: Database, query: CompiledQuery): Promise<boolean> {
  const steps = await stepsOf(database, query);
  const isInside = (outer: readonly string[]) =>
    outer.some((step) => /CO-ROUTINE/.test(step)) || outer.filter((step) => /^Limit/.test(step)).length > 1;
  return steps.some(
    ({ step, outer }) => /TEMP B-TREE|^(Incremental )?Sort /.test(step) && (!isInStretches(query) || isInside(outer)),
  );
}

type Step = { step: string; outer: readonly string[] };

/** The steps of a plan, each with those around it. */
async function stepsOf({ kysely, engine }: Database, query: CompiledQuery): Promise<Step[]> {
  const explain = engine === "sqlite" ? "explain query plan" : "explain";
  const { rows } = await kysely.executeQuery<Record<string, unknown>>({ ...query, sql: `${explain} ${query.sql}` });
  const above: { step: string; depth: number }[] = [];
  return rows.map((row, index) => {
    const text = String(row.detail ?? row["QUERY PLAN"]);
    const depth = engine === "sqlite" ? depthOf(rows, index) : text.length - text.replace(/^ *(-> *)?/, "").length;
    while ((above.at(-1)?.depth ?? -1) >= depth) above.pop();
    const step = text.replace(/^ *(-> *)?/, "");
    const outer = above.map((one) => one.step);
    above.push({ step, depth });
    return { step, outer };
  });
}

function depthOf(rows: readonly Record<string, unknown>[], index: number): number {
  const parent = rows.findIndex((row) => row.id === rows[index]?.parent);
  return parent < 0 ? 0 : 1 + depthOf(rows, parent);
}

type Ask = { query?: string; state?: string; sort?: string; before?: string; network?: string; limit: number };
/** The lists of the panel, with search terms that match few rows, many, all and none. */
const LISTS: Record<string, { list(queries: Queries, ask: Ask): Promise<unknown>; asks: Omit<Ask, "limit">[] }> = {
  purchases: {
    list: listPanelPurchases,
    asks: asksOf(["held", "pending", "paid"], { id: "9000", amount: "5000_9000" }, ["0x", BUYER, "k", "key-30", "77"]),
  },
  payments: {
    list: listPayouts,
    asks: asksOf(["waiting", "done"], { id: "9000", amount: "5000_9000" }, ["0x", BUYER, "77"]),
  },
  operations: { list: listOperationPage, asks: asksOf(["waiting", "done"], { id: "9000" }, ["0x", BUYER, "77"]) },
  sales: {
    list: listSales,
    asks: ["awin", "admitad", undefined].flatMap((network) =>
      asksOf(["held", "settled"], { id: "9000", amount: "5000_9000" }, ["0x", BUYER, "k", "key-30", "77"]).map((ask) =>
        network === undefined ? ask : { ...ask, network },
      ),
    ),
  },
  claims: {
    list: listAllClaims,
    asks: asksOf(["open", "refused"], { id: "1000", amount: "1_1000" }, ["0x", BUYER, "order", "order 9", "77"]),
  },
  users: {
    list: listUsers,
    asks: asksOf(["active", "erased"], { created_at: `9_${BUYER}`, name: `a_${BUYER}`, email: `a_${BUYER}` }, [
      "0x",
      BUYER,
      "a",
      "ana77",
      "silva",
    ]),
  },
  stores: {
    list: listStorePage,
    asks: asksOf(["draft", "ready"], { id: "9000", name: "loja 1_9000" }, ["l", "loja", "loja 7", "77"]),
  },
  log: {
    list: listAudit,
    asks: asksOf(["catalogue", "people"], { id: "9000" }, ["0x", BUYER, "s", "store:7", "77"]),
  },
  suggestions: {
    list: listSuggested,
    asks: asksOf(["open", "accepted", "gone"], { id: "9000", name: "loja 1_9000" }, ["l", "loja", "loja 7", "77"]),
  },
  percents: {
    list: listPercentApprovals,
    asks: asksOf(["open", "approved"], { id: "9000" }, [BUYER, "77"]),
  },
  proposals: {
    list: listProposals,
    asks: asksOf(["open", "agreed", "coming", "done", "lapsed"], { id: "9000" }, [BUYER, "77"]),
  },
  approvals: {
    list: listApprovals,
    asks: asksOf(["open", "approved", "lapsed", "used"], { id: "9000", amount: "5000_9000" }, ["0x", BUYER, "77"]),
  },
};

/** Every state and search in every order, at the start and further on. */
function asksOf(states: string[], cursors: Record<string, string>, searches: string[]): Omit<Ask, "limit">[] {
  const found = [undefined, ...searches].flatMap((query) => (query === undefined ? [{}] : [{ query }]));
  const filtered = [undefined, ...states].flatMap((state) =>
    found.map((ask) => (state === undefined ? ask : { ...ask, state })),
  );
  return Object.entries(cursors).flatMap(([sort, before]) =>
    filtered.flatMap((ask) => [
      { ...ask, sort },
      { ...ask, sort: `-${sort}`, before },
    ]),
  );
}

describe("In a filled shop", function () {
  this.timeout(300_000);
  onBothEngines(({ open, name }) => {
    let again: (() => Promise<Database>) | undefined;
    /** Filled once: what a test changes, no later one looks at. */
    const filledShop = async () => {
      if (again) return again();
      const opened = await open();
      await fillShop(opened.database);
      again = opened.again;
      return opened.database;
    };

    describe("the plan of every panel list", () => {
      it("reads no more rows than it finds or looks at", async () => {
        const database = await filledShop();
        const faults = new Set<string>();
        const faultsOf = name === "SQLite" ? sqliteFaults : postgresUnindexed;
        /** Whether a query has an index does not depend on its values, and most differ in nothing else. */
        const known = new Map<string, string[]>();
        for (const [what, { list, asks }] of Object.entries(LISTS)) {
          for (const ask of asks) {
            for (const query of await recordQueries(database, (queries) => list(queries, { ...ask, limit: 50 }))) {
              const found = known.get(query.sql) ?? (await faultsOf(database, query));
              known.set(query.sql, found);
              if (found.length === 0 || (isWalk(query) && !(await isSorted(database, query)))) continue;
              for (const fault of found) faults.add(`${what} ${JSON.stringify(ask)}: ${fault}\n    ${query.sql}`);
            }
          }
        }
        expect([...faults].slice(0, 8).join("\n")).to.equal("");
      });
    });

    describe("the plan of every hot query", () => {
      it("reads only its result, not the table", async () => {
        const database = await filledShop();
        const faults: string[] = [];
        for (const [what, ask] of Object.entries(HOT)) {
          const asked = await recordQueries(database, ask);
          expect(asked, what).to.not.deep.equal([]);
          for (const query of asked) {
            const found =
              name === "SQLite" ? await sqliteFaults(database, query) : await postgresFaults(database, query);
            faults.push(...found.map((fault) => `${what}: ${fault}\n    ${query.sql}`));
          }
        }
        expect(faults.join("\n")).to.equal("");
      });
    });

    describe("the number of a sale among its buyer's of a day", () => {
      it("is counted in an index of its time, or of ours where it has none", async () => {
        const database = await filledShop();
        const asked = await recordQueries(database, (queries) => decideSales(queries, IDS, RULES));
        const counts = asked.filter(({ sql }) => sql.includes("of_day"));
        expect(counts).to.have.length(1);
        for (const query of counts) {
          const steps = (await stepsOf(database, query)).map(({ step }) => step).join("\n");
          expect(steps)
            .to.match(/sales_wallet\b/)
            .and.match(/sales_undated\b/);
        }
      });
    });

    describe("the declined sales whose return is final", () => {
      it("are found in an index of theirs, however many are declined", async () => {
        const database = await filledShop();
        await sql`update sales set state = 'declined', return_due_at = case when id % 1000 = 0 then id else -1 end`.execute(
          database.kysely,
        );
        await sql.raw(database.engine === "postgres" ? "vacuum analyze sales" : "analyze").execute(database.kysely);
        const asked = (await recordQueries(database, listUnreviewed)).find(({ sql }) => sql.includes("return_due_at"));
        if (!asked) throw new Error("Nothing is asked");
        const steps = (await stepsOf(database, asked)).map(({ step }) => step).join("\n");
        expect(steps)
          .to.match(/sales_return_due/)
          .and.not.match(/TEMP B-TREE|Sort /);
      });
    });

    describe("the rows of a state", () => {
      it("are found in its index, even if they all are the second half of the table", async () => {
        const database = await filledShop();
        const first = PURCHASES * 0.5;
        await sql`update purchases set held_at = null, settled_at = null, counted_paid_gwei = 0,
        counted_status = case when id > ${first} then 1 else 2 end`.execute(database.kysely);
        await sql.raw(database.engine === "postgres" ? "vacuum analyze purchases" : "analyze").execute(database.kysely);
        for (const sort of ["id", "-id"]) {
          const asked = await recordQueries(database, (queries) =>
            listPanelPurchases(queries, { state: "pending", sort, limit: 50 }),
          );
          const ofState = asked.filter(
            (query) => /^\s*select [^()]*\bkey\b/.test(query.sql) && query.parameters.includes("pending"),
          );
          expect(ofState, sort).to.not.deep.equal([]);
          for (const query of ofState) {
            const steps = (await stepsOf(database, query)).map(({ step }) => step);
            expect(steps.join("\n"), `${sort}\n${query.sql}`).to.match(/purchases_state/);
          }
        }
      });

      it("are counted in its index, even if they all are the newest", async () => {
        const database = await filledShop();
        const half = PURCHASES / 2;
        await sql`update operations set status = case when subject_id > ${half} then 'failed' else 'done' end`.execute(
          database.kysely,
        );
        await sql.raw("analyze").execute(database.kysely);
        const isNone = sql<SqlBool>`1 = 0`;
        const asked = await recordQueries(database, async (queries) => {
          await readFigures(queries, 10n ** 16n);
          await countAttention(queries, { isHeld: isNone, isDraft: isNone, isOpenApproval: isNone, overdueSince: 1n });
          await summarizeQueue(queries);
        });
        for (const query of asked) {
          const steps = (await stepsOf(database, query)).map(({ step }) => step);
          expect(
            steps.filter((step) => /^(Seq Scan on|SCAN) operations\b|_pkey/.test(step)).join("\n"),
            query.sql,
          ).to.equal("");
        }
      });
    });
  });
});

async function fillShop(database: Database): Promise<void> {
  await sql`insert into stores (id, name, country, created_at, updated_at) values ${sql.join(
    Array.from({ length: 8 }, (_, index) => sql`(${index + 1}, ${`Loja ${index + 1}`}, 'BR', 1, 1)`),
  )}`.execute(database.kysely);
  const onChain = { count: 1, valueCents: 10_000n, cashbackBps: 500n, buyer: walletOf(3), storeId: 1n };
  await fill(database, PURCHASES, onChain, () => {});
  const numbers = Array.from({ length: ROWS }, (_, index) => index + 1);
  const rows = (row: (i: number) => RawBuilder<unknown>) => sql.join(numbers.map(row));
  await sql`insert into sessions (token_hash, wallet, kind, created_at, last_seen_at)
    values ${rows((i) => sql`(${`hash ${i}`}, ${walletOf(i)}, 'nonce', ${Date.now()}, ${Date.now()})`)}`.execute(
    database.kysely,
  );
  await sql`insert into adjustments (purchase_id, revision_id, wallet, cent_bps, amount_gwei, created_at)
    values ${rows((i) => sql`(${i}, 0, ${walletOf(i)}, 1, 1, 1)`)}`.execute(database.kysely);
  await sql`insert into claims (wallet, store_id, click_id, order_ref, amount_cents, purchased_on, state, created_at)
    values ${rows((i) => sql`(${walletOf(i)}, 1, ${i}, ${`order ${i}`}, 1, '2026-01-01', ${["open", "matched"][i % 40] ?? "refused"}, 1)`)}`.execute(
    database.kysely,
  );
  await sql`insert into approvals (purchase_id, wallet, amount_gwei, state, asked_by, created_at, decided_at)
    values ${rows((i) => sql`(${i}, ${walletOf(i)}, ${i}, ${["open", "approved", "refused"][i % 40] ?? "used"}, ${walletOf(i)}, ${i}, ${i})`)}`.execute(
    database.kysely,
  );
  await sql`insert into store_boosts (store_id, boost_bps, starts_at, ends_at, planned_end_at, decision, planned_by, created_at, turns_at)
    values ${rows((i) => sql`(${i % 400 === 0 ? 3 : 1}, 1, ${i}, ${i + 1}, ${i + 1}, ${i % 40 === 0 ? "waiting" : "agreed"}, ${walletOf(i)}, ${i}, ${i % 4_000 === 1 ? i : null})`)}`.execute(
    database.kysely,
  );
  await sql`insert into offers (store_id, title, title_key, starts_at, ends_at, created_at, updated_at, shown, turns_at)
    values ${rows((i) => sql`(${i % 400 === 0 ? 3 : 1}, 'a', 'a', ${i}, ${i + 1}, ${i}, ${i}, ${i % 40 === 0 ? 0 : 1}, ${i % 4_000 === 1 ? i : null})`)}`.execute(
    database.kysely,
  );
  // A network with many accounts, of which one is asked about.
  await sql`insert into programmes (network, account, advertiser_id, name, name_key, state, suggestion, groups_due_at,
      seen_at, created_at, updated_at, taken, logo_url, logo_asked_at)
    values ${rows((i) => sql`('awin', ${i % 400 === 0 ? "main" : "other"}, ${`${i}`}, ${`Loja ${i}`}, ${`loja ${i}`}, 'active', ${["open", "gone"][i % 40] ?? "accepted"}, ${i}, 1, 1, 1, '{}', 'https://img.example/', ${i % 1_000 === 0 ? null : 1})`)}`.execute(
    database.kysely,
  );
  await sql`insert into sale_totals (network, account, store_id, month)
    values ${rows((i) => sql`('awin', 'plans', ${i}, ${`${1_900 + i}-01`})`)}`.execute(database.kysely);
  await sql`insert into account_losses (network, account, month, lost_cent_bps)
    values ${rows((i) => sql`('awin', ${`a${i}`}, ${`${1_900 + i}-01`}, 1)`)}`.execute(database.kysely);
  await sql`update offers set network = 'awin', account = 'other', network_key = id, seen_at = 1`.execute(
    database.kysely,
  );
  await sql`insert into percent_approvals (store_id, bps, state, asked_by, created_at)
    values ${rows((i) => sql`(${i % 400 === 0 ? 3 : 1}, 1, ${i % 400 === 0 ? "open" : "approved"}, ${walletOf(i)}, ${i})`)}`.execute(
    database.kysely,
  );
  await sql`insert into audit_log (at, actor, action, subject, detail, previous_hash, hash)
    values ${rows((i) => sql`(${i}, ${walletOf(i)}, 'store.update', ${`store:${i}`}, '{}', ${`${i}`}, ${`${i + 1}`})`)}`.execute(
    database.kysely,
  );
  // Half of them are one person's.
  await sql`insert into fact_authors (author, subject, said_at)
    values ${rows((i) => sql`(${i % 2 === 0 ? BUYER : walletOf(i)}, ${`store:${i}`}, 1)`)}`.execute(database.kysely);
  // Half of them are one reader's.
  await sql`insert into events (wallet, kind, subject_id, store_name, amount_cents, created_at, mail_at)
    select case when id % 2 = 0 then ${BUYER} else wallet end, 'confirmed', id, store_name, amount_cents, ${Date.now()},
      case when id % 1000 = 75 then 5 end from purchases`.execute(database.kysely);
  await sql`insert into event_readers (wallet, mail_topics, mail_address, unsubscribe_token, verify_hash)
    select wallet, 'paid', email, 'u' || wallet, 'v' || wallet from users`.execute(database.kysely);
  await sql`insert into mails (wallet, kind, address, subject, text, html, message_id, created_at, due_at)
    select wallet, case when wallet like '%1' then 'verify' else 'events' end, email, '', '', '', 'm' || wallet, ${Date.now()},
      case when wallet like '%77' then 5 end from users`.execute(database.kysely);
  await sql`insert into account_books (network, account, began_at) values ${sql.join(
    Array.from({ length: 8 }, (_, index) => sql`('direct', ${`shop-${index}`}, 1)`),
  )}`.execute(database.kysely);
  await sql`insert into account_draws (purchase_id, account_id, day, cent_bps)
    select id, 1 + id % 8, id, 1 from purchases`.execute(database.kysely);
  await sql`insert into account_waits (purchase_id, account_id, reason, payable_at, cent_bps, since)
    select id, 1 + id % 8, 'credit_used', id, 1, 1 from purchases`.execute(database.kysely);
  await sql`insert into account_days (account_id, day, slot, cent_bps)
    values ${rows((i) => sql`(${1 + (i % 8)}, ${i}, 0, 1)`)}`.execute(database.kysely);
  await sql`insert into account_bookings (account_id, amount_cents, arrived_on, reference, booked_by, created_at)
    values ${rows((i) => sql`(${1 + (i % 8)}, 1, '2026-01-01', 'Pix', ${walletOf(i)}, ${i})`)}`.execute(
    database.kysely,
  );
  await sql`insert into proposals (kind, subject_id, from_fields, to_fields, state, asked_by, created_at, due_at)
    values ${rows((i) => sql`('erase', ${walletOf(i)}, '{}', '{}', ${["open", "agreed", "lapsed"][i % 40] ?? "done"}, ${walletOf(i)}, ${i}, ${i % 40 < 2 ? i : null})`)}`.execute(
    database.kysely,
  );
  await sql`insert into purse_counts (key, points, expire)
    values ${rows((i) => sql`(${`key ${i}`}, 1, ${Date.now() + i})`)}`.execute(database.kysely);
  await sql`update operations set share_id = 1 + subject_id % 8 where kind = 'pay'`.execute(database.kysely);
  await sql`insert into chain_cursor (id, block_number, block_hash) values (1, 10, '0x1')`.execute(database.kysely);
  // Some are due, so that a round has work.
  await sql`${sql.raw(database.engine === "postgres" ? "vacuum analyze" : "analyze")}`.execute(database.kysely);
  await sql`update purchases set payable_at = 1 where id % 1000 = 75`.execute(database.kysely);
  await sql`update due_purchases set due_at = 1 where purchase_id % 1000 = 75`.execute(database.kysely);
}

function registration(user: number) {
  const terms = { amountCents: 10_000n, cashbackBps: 500n, bonusBps: 0n, tokenSlug: null, balanceBlock: null };
  return { wallet: walletOf(user), storeId: 1n, storeName: "Loja", source: "simulated" as const, ...terms };
}

function visit() {
  const terms = { groups: {}, defaultBps: 500n, bonusBps: 0n };
  const buyer = { wallet: BUYER, tokenSlug: null, balanceBlock: null };
  return { ...buyer, storeId: 1n, storeName: "Loja", terms, clickedAt: 1n, windowMs: 1n };
}

/** Runs `ask` and returns the queries that it sent to the database. */
async function recordQueries(
  database: Database,
  ask: (queries: Queries, database: Database) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const asked: CompiledQuery[] = [];
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      // Reads nothing, cannot be explained, and needs a transaction.
      if (/^\s*(rollback to )?savepoint /.test(query.sql)) return { rows: [] };
      asked.push(query);
      return database.kysely.executeQuery<Row>(query);
    },
    streamQuery() {
      throw new Error("Not used");
    },
  };
  const nothing = async () => {};
  const driver: Driver = {
    init: nothing,
    releaseConnection: nothing,
    destroy: nothing,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    acquireConnection: async () => connection,
  };
  const isSqlite = database.engine === "sqlite";
  const recorder = new Kysely<Schema>({
    dialect: {
      createAdapter: () => (isSqlite ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => driver,
      createIntrospector: (db) => (isSqlite ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
      createQueryCompiler: () => (isSqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
  });
  await ask(recorder, database);
  return asked;
}

/** A key-order scan with a limit does not count as a scan. */
async function sqliteFaults({ kysely }: Database, query: CompiledQuery): Promise<string[]> {
  const { rows } = await kysely.executeQuery<{ detail: string }>({ ...query, sql: `explain query plan ${query.sql}` });
  const steps = rows.map((row) => row.detail);
  const outer = query.sql.replace(/\(select [^()]*\)/g, "");
  const isEnded =
    /limit \?\s*$/.test(outer) && !/ where /.test(outer) && !steps.some((step) => /TEMP B-TREE/.test(step));
  return steps.filter((step) => {
    const table = /^SCAN (\w+)/.exec(step)?.[1];
    return (
      table !== undefined && BIG_TABLES.includes(table) && !isEnded && !FEW_ROWS.some((index) => step.endsWith(index))
    );
  });
}

type Plan = {
  "Node Type": string;
  "Index Name"?: string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  Filter?: string;
  Plans?: Plan[];
};

/** Scans of whole tables, and of whole indexes: without a condition on the index, or without a limit that ends them. */
async function postgresFaults(database: Database, query: CompiledQuery): Promise<string[]> {
  const { rows } = await database.kysely.executeQuery<{ "QUERY PLAN": [{ Plan: Plan }] }>({
    ...query,
    sql: `explain (format json) ${query.sql}`,
  });
  const faults: string[] = [];
  const look = (plan: Plan, isEnded: boolean) => {
    const { "Node Type": node, "Relation Name": table, Filter: filter } = plan;
    if (FEW_ROWS.includes(plan["Index Name"] ?? "")) return;
    const isWhole = node === "Seq Scan" || (/^Index (Only )?Scan$/.test(node) && plan["Index Cond"] === undefined);
    const endsSoon = isEnded && filter === undefined && node !== "Seq Scan";
    if (isWhole && table && BIG_TABLES.includes(table) && !endsSoon) faults.push(`${node} of ${table} ${filter ?? ""}`);
    for (const inner of plan.Plans ?? []) look(inner, node === "Limit" || (isEnded && /Loop|Join|Limit/.test(node)));
  };
  look(rows[0]?.["QUERY PLAN"][0].Plan as Plan, false);
  if (!faults.some((fault) => fault.startsWith("Seq Scan"))) return faults;
  // By a sample of its rows, PostgreSQL now and then prefers a scan of what is a small table.
  const unindexed = await postgresUnindexed(database, query);
  return faults.filter((fault) => !fault.startsWith("Seq Scan") || unindexed.some((one) => fault.startsWith(one)));
}
