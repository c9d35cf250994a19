import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { readClock } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import { readSetting } from "../database/settings.ts";
import { inTransaction, isDatabaseAway, type Queries } from "../database/transaction.ts";
import { LeaseLostError } from "../process/lease.ts";
import { AnswerTooLargeError } from "../process/outside.ts";
import { inSpan } from "../process/tracing.ts";
import { encodeReport } from "../purchases/sale-row.ts";
import { DAY_MS, MINUTE_MS } from "../rules/iso-time.ts";
import { CHANGEABLE_MS, SALE_STATES, type SaleState } from "../rules/sale/facts.ts";
import { sayProblems } from "../rules/sale/holds.ts";
import { asOfNow, type SaleReport } from "../rules/sale/report.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import { saoPauloDay } from "../rules/sao-paulo-time.ts";
import { plainText } from "../rules/text.ts";
import { messageOf } from "../rules/unknown-error.ts";
import { listStoresOf } from "./account-stores.ts";
import { budgetProblem, POLL_SHARE, reckonBudget } from "./budget.ts";
import { ANY_SALE, listDueHints, resolveHints } from "./hints.ts";
import { CallRefusedError, HttpCalls, NetworkAwayError } from "./http-calls.ts";
import { MissingRates } from "./missing-rates.ts";
import type { Page, Pass, PolledAccount } from "./network.ts";
import type { AnyNetwork } from "./networks.ts";
import { OffersRound } from "./offers-round.ts";
import { ProgrammeRounds } from "./programme-rounds.ts";
import { countProgrammes } from "./programme-rows.ts";
import { saleFields } from "./queries.ts";
import { ReadProgress } from "./read-progress.ts";
import { markKnown, markRead, storeReport } from "./reports.ts";
import { type UnreadRow, unreadRow } from "./row.ts";
import { forgetRows, listDueRows, postponeRows, setAside } from "./unread-rows.ts";
import { listLongestUnread } from "./unread-sales.ts";

export type ReaderOptions = {
  database: Database;
  network: AnyNetwork;
  account: PolledAccount;
  rules: SaleRules;
  log: Logger;
  signal: AbortSignal;
  /** Rejects the write if another process has become the reader. */
  assertLease: (queries: Queries) => Promise<void>;
};

/** How long the word holds that the index is complete. */
const IDS_KNOWN_MS = 120_000;
/** How far before the last success each window starts. */
const OVERLAP_MS = 2 * DAY_MS;
const NIGHT_MS = DAY_MS;
/** A window of two days or more is read in halves if its answer is too large: some networks count in whole days. */
const SHORTEST_WINDOW_MS = DAY_MS;
const LOOK_MS = 300;
const REFUSED_MS = 60_000;
const RATES_MS = 1_000;
const RATES_AT_ONCE = 16;
const NIGHTLY = "nightly";
/** One of so many turns of spare calls is theirs. */
const TURNS_OF_PROGRAMMES = 8;
/** How often it is reckoned whether the budget is enough. */
const RECKON_MS = 3_600_000;
const PAUSE_MS = 1_000;

type Window = { from: number; to: number };

/** Reads one account: changes, sales mentioned by pushes, the past months every night, and open sales by id. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #calls: HttpCalls<PolledAccount>;
  readonly #progress: ReadProgress;
  readonly #rates: MissingRates;
  readonly #programmes: ProgrammeRounds;
  readonly #offers: OffersRound;
  #isWaitingTold = false;
  #nextPollAt = 0;
  #polledAt = 0;
  #nextRatesAt = 0;
  #pausedUntil = 0;
  #turn = 0;
  #idsRefusedUntil = 0;
  #night: ({ pass: Pass } & Window)[] = [];
  #nightBegan = 0;
  #nextReckoningAt = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#calls = new HttpCalls(options.database, options.account, options.signal);
    this.#progress = new ReadProgress(options.database.kysely, keyOf(options.account));
    this.#rates = new MissingRates({
      ...options,
      key: keyOf(options.account),
      write: (work) => this.#write(work),
    });
    this.#programmes = new ProgrammeRounds({ ...options, calls: this.#calls, isOver: (error) => this.#isOver(error) });
    this.#offers = new OffersRound({ ...options, progress: this.#progress, write: (work) => this.#write(work) });
  }

  /** Runs until the signal aborts. Errors are logged and retried. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    let isLoaded = false;
    while (!signal.aborted) {
      try {
        if (!isLoaded) await this.#calls.load();
        isLoaded = true;
        await this.#round();
      } catch (error) {
        if (signal.aborted) return;
        await this.#tell(error);
      }
      await delay(this.#waitMs(), undefined, { signal }).catch(() => {});
    }
  }

  #waitMs(): number {
    const blocked = this.#calls.blockedUntil - performance.now();
    return Math.min(Math.max(blocked, LOOK_MS), 5_000);
  }

  async #round(): Promise<void> {
    if (!(await this.#mayGiveIds())) return;
    if (performance.now() >= this.#nextRatesAt) {
      this.#nextRatesAt = performance.now() + RATES_MS;
      await this.#rates.apply();
    }
    if (Math.max(this.#calls.blockedUntil, this.#pausedUntil) > performance.now()) return;
    if (performance.now() >= this.#nextPollAt) {
      await inSpan("poll", { attributes: keyOf(this.#options.account) }, () => this.#poll());
      this.#polledAt = performance.now();
      this.#nextPollAt = this.#polledAt + Math.max(this.#options.account.poll_seconds * 1_000, this.#affordableMs());
    }
    if (performance.now() >= this.#nextReckoningAt) await this.#reckonBudget();
    const spare = this.#spareCalls();
    if (spare <= 0) return;
    // Anyone with a push secret can cause many reads: where others wait too, they get a third of the calls.
    const isTurnOfHints = this.#turn++ % 3 === 0;
    if (isTurnOfHints && (await this.#readHints())) return;
    const others = [this.#readUnread, this.#readNight, this.#rereadOldest];
    // Sales come first; where their rereading never ends, programmes still get a turn.
    others.splice(this.#turn % TURNS_OF_PROGRAMMES === 0 ? 0 : others.length, 0, this.#readProgrammes);
    if (spare > this.#hintCalls) for (const read of others) if (await read.call(this)) return;
    if (!isTurnOfHints) await this.#readHints();
  }

  async #readProgrammes(): Promise<boolean> {
    return (await this.#programmes.step()) || this.#offers.readPage(this.#calls);
  }

  /** The calls of a poll within the minute are reserved too. */
  #spareCalls(): number {
    const isPollNear = this.#nextPollAt - performance.now() < MINUTE_MS;
    return this.#calls.remaining - (isPollNear ? this.#options.network.passes.length : 0);
  }

  /** Calls reserved for pushes while sales are being reread; none of a small budget. */
  get #hintCalls(): number {
    return Math.min(2, Math.floor(this.#options.account.calls_per_minute / 4));
  }

  async #reckonBudget(): Promise<void> {
    const { database, network, account, rules, log } = this.#options;
    this.#nextReckoningAt = performance.now() + RECKON_MS;
    const stores = await listStoresOf(database.kysely, { account, rules });
    const programmes = await countProgrammes(database.kysely, keyOf(account));
    const needed = await reckonBudget(database, account, {
      catalogueCalls: network.catalogueCalls({ programmes, stores: stores.length }),
      salesPerCall: network.salesPerCall,
      callsPerPoll: network.passes.length,
      nightlyCalls: this.#nightWindows(Date.now()).length,
    });
    const problem = budgetProblem({ ...keyOf(account), budget: account.calls_per_minute, needed });
    if (problem) log.warn({ ...keyOf(account), needed }, problem);
  }

  /**
   * A sale becomes a purchase, and its id is a token id: no id is assigned before the index has every existing token.
   * The api tells that, again and again.
   */
  async #mayGiveIds(): Promise<boolean> {
    const { kysely } = this.#options.database;
    const toldAt = Number((await readSetting(kysely, "ids_open")) ?? 0);
    const hasIds = toldAt > Number(await readClock(kysely)) - IDS_KNOWN_MS;
    if (hasIds) this.#isWaitingTold = false;
    else if (!this.#isWaitingTold) {
      this.#isWaitingTold = true;
      this.#options.log.warn(keyOf(this.#options.account), "Waiting until the index is complete");
    }
    return hasIds;
  }

  #affordableMs(): number {
    const { account, network } = this.#options;
    return (network.passes.length * 60_000) / (account.calls_per_minute * POLL_SHARE);
  }

  #expeditePoll(): void {
    this.#nextPollAt = Math.min(this.#nextPollAt, this.#polledAt + this.#affordableMs());
  }

  /** Queries by every supported timestamp, from two days before the last success. */
  async #poll(): Promise<void> {
    const { network, database } = this.#options;
    for (const pass of network.passes) {
      // Of two clocks the later, or no sale is found while one is slow. Up to a whole second: networks count in seconds.
      const now = Math.max(Date.now(), await readClock(database.kysely));
      const to = Math.floor(now / 1_000) * 1_000 + 1_000;
      const through = await this.#progress.through(pass.name);
      const from = through === undefined ? to - CHANGEABLE_MS : Math.min(through, to) - OVERLAP_MS;
      for (const window of windows(from, to, pass.maximumMs)) {
        await this.#readWindow(pass, window);
        await this.#readThrough(pass.name, Math.min(window.to, now));
      }
    }
    await this.#progress.succeeded();
  }

  /** A window whose answer is too large is read in halves. */
  async #readWindow(pass: Pass, { from, to }: Window): Promise<void> {
    const dates = { from: new Date(from), to: new Date(to) };
    try {
      for await (const page of this.#options.network.readWindow(this.#calls, pass, dates)) await this.#store(page);
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError) || to - from < 2 * SHORTEST_WINDOW_MS) throw error;
      const middle = Math.floor((from + to) / 2_000) * 1_000;
      await this.#readWindow(pass, { from, to: middle });
      await this.#readWindow(pass, { from: middle, to });
    }
  }

  /** Once a night, all windows back to the longest validation, one at a time between polls. */
  async #readNight(): Promise<boolean> {
    if (this.#night.length === 0) {
      const last = await this.#progress.through(NIGHTLY);
      const now = Date.now();
      // The first poll of an account already reads that far back.
      if (last === undefined) await this.#readThrough(NIGHTLY, now);
      if (last === undefined || now - last < NIGHT_MS) return false;
      this.#nightBegan = now;
      this.#night = this.#nightWindows(now);
    }
    const [next] = this.#night;
    if (!next) return false;
    await this.#readWindow(next.pass, next);
    this.#night.shift();
    if (this.#night.length === 0) await this.#readThrough(NIGHTLY, this.#nightBegan);
    return true;
  }

  #nightWindows(now: number): ({ pass: Pass } & Window)[] {
    const nightly = this.#options.network.passes.filter((pass) => pass.isNightly);
    return nightly.flatMap((pass) =>
      windows(now - CHANGEABLE_MS, now, pass.maximumMs).map((window) => ({ pass, ...window })),
    );
  }

  async #readHints(): Promise<boolean> {
    const { database, network, account } = this.#options;
    const hints = await listDueHints(database.kysely, keyOf(account), network.salesPerCall);
    if (hints.length === 0) return false;
    const sales = await database.kysely
      .selectFrom("sales")
      .select(["sale_key", "occurred_at"])
      .where("network", "=", account.network)
      .where("account", "=", account.account)
      .where(
        "sale_key",
        "in",
        hints.map((hint) => hint.sale_key),
      )
      .execute();
    const named = hints.filter((hint) => hint.sale_key !== ANY_SALE);
    const page = await this.#readSales(
      named.map(({ sale_key }) => {
        const known = sales.find((sale) => sale.sale_key === sale_key);
        return {
          saleKey: sale_key,
          occurredAt: known?.occurred_at == null ? null : new Date(Number(known.occurred_at)),
        };
      }),
    );
    await this.#store(page, new Map(hints.map(({ sale_key, traceparent }) => [sale_key, traceparent])));
    const read = new Set([...page.reports.map((report) => report.saleKey), ANY_SALE]);
    if (named.length < hints.length || !named.every(({ sale_key }) => read.has(sale_key))) this.#expeditePoll();
    await this.#write((queries) => resolveHints(queries, hints, read));
    return true;
  }

  /** The network rejects these ids, or queries by id in general: the polls continue without them. */
  async #readSales(sales: readonly { saleKey: string; occurredAt: Date | null }[]): Promise<Page> {
    const nothing = { reports: [], unread: [] };
    if (sales.length === 0 || this.#idsRefusedUntil > performance.now()) return nothing;
    try {
      return await this.#options.network.readSales(this.#calls, sales);
    } catch (error) {
      if (!(error instanceof CallRefusedError) || error.status === 401) throw error;
      const { account, log } = this.#options;
      this.#idsRefusedUntil = performance.now() + REFUSED_MS;
      log.warn({ ...keyOf(account), reason: error.message }, "The network rejects queries by id");
      return nothing;
    }
  }

  /**
   * Rereads open and unpaid sales by id, least recently read first: some networks count neither an approval nor their
   * own payment as a change.
   */
  async #rereadOldest(): Promise<boolean> {
    const { database, network } = this.#options;
    if (this.#idsRefusedUntil > performance.now()) return false;
    const sales = await this.#listLongestUnread();
    if (sales.length === 0) return false;
    const page = await this.#readSales(
      sales.map((sale) => ({
        saleKey: sale.sale_key,
        occurredAt: new Date(Number(sale.occurred_at ?? sale.created_at)),
      })),
    );
    await this.#store(page);
    // A sale that the network no longer returns must not stay at the front of the queue.
    const [first] = sales;
    const missing = network.salesPerCall > 1 && page.reports.length > 0 ? [first] : sales;
    const ids = missing.flatMap((sale) => sale?.id ?? []);
    await markRead(database.kysely, ids, BigInt(Date.now()));
    return true;
  }

  async #listLongestUnread() {
    const { database, network, account } = this.#options;
    const now = Date.now();
    const list = (states: readonly SaleState[], unreadMs: number) =>
      listLongestUnread(
        database.kysely,
        { network: account.network, account: account.account, states },
        { unreadSince: now - unreadMs, changeableSince: now - CHANGEABLE_MS, limit: network.salesPerCall },
      );
    const pollMs = account.poll_seconds * 1_000;
    for (const [states, unreadMs] of [
      // However small the budget is, nobody starves.
      [SALE_STATES, DAY_MS],
      [["held", "unmatched", "open", "approved"], pollMs],
      [["payable", "declined", "settled"], 4 * pollMs],
    ] as const) {
      const sales = await list(states, Math.max(unreadMs, pollMs));
      if (sales.length > 0) return sales;
    }
    return [];
  }

  /**
   * Stores each sale in its own transaction; unchanged ones are only marked as read, unreadable ones set aside. `asked`: the
   * traces of the pushes that name them.
   */
  async #store(page: Page, asked?: ReadonlyMap<string, string | null>): Promise<void> {
    const key = keyOf(this.#options.account);
    const unread = [...page.unread];
    const now = BigInt(Date.now());
    const reports = onePerSale(page.reports.map((report) => asOfNow(report, now)));
    await this.#askRates(reports);
    for (const report of await markKnown(this.#options.database.kysely, key, reports)) {
      try {
        const traced = {
          from: asked?.get(report.saleKey) ?? undefined,
          attributes: { "torcida.sale": report.saleKey },
        };
        await inSpan("store a sale", traced, () => this.#storeReport(report));
      } catch (error) {
        if (this.#isOver(error)) throw error;
        unread.push(unreadRow(JSON.parse(encodeReport(report)), error, report));
      }
    }
    const failed = new Set(unread.map(({ saleKey }) => saleKey));
    const read = page.reports.map(({ saleKey }) => saleKey).filter((saleKey) => !failed.has(saleKey));
    await forgetRows(this.#options.database.kysely, key, read);
    if (unread.length > 0) await this.#setAside(unread);
  }

  /** The rates of a page, several at a time: one that the feed does not answer costs the others its time limit once. */
  async #askRates(reports: readonly SaleReport[]): Promise<void> {
    const asked = new Map<string, () => Promise<boolean>>();
    for (const { currency, commissionCurrency, occurredAt } of reports) {
      const at = occurredAt ?? BigInt(Date.now());
      for (const one of [currency, commissionCurrency ?? currency])
        if (one !== "BRL") asked.set(`${one} ${saoPauloDay(at)}`, () => this.#rates.ask(one, at));
    }
    const questions = [...asked.values()];
    while (questions.length > 0) await Promise.all(questions.splice(0, RATES_AT_ONCE).map((ask) => ask()));
  }

  async #storeReport(report: SaleReport): Promise<void> {
    const { account, rules, log, database } = this.#options;
    for (const currency of new Set([report.currency, report.commissionCurrency ?? report.currency])) {
      if (currency !== "BRL") await this.#rates.ask(currency, report.occurredAt ?? BigInt(Date.now()));
    }
    const stored = await this.#write((queries) => storeReport(queries, keyOf(account), report, rules));
    if (stored.outcome === "known") return;
    await this.#programmes.notice(report);
    log.info({ ...(await saleFields(database.kysely, stored.saleId)), outcome: stored.outcome }, "Sale read");
    if (report.drift !== null) {
      log.error(
        { ...keyOf(account), sale: report.saleKey, drift: sayProblems(report.drift, "en") },
        "A sale's report is not understood",
      );
    }
  }

  /** They cost no other sale; those with a key are read again, ever more seldom. */
  async #setAside(rows: readonly UnreadRow[]): Promise<void> {
    const { account, log } = this.#options;
    const added = await this.#write((queries) => setAside(queries, keyOf(account), rows));
    if (added === 0) return;
    const [{ saleKey, problem } = { saleKey: null, problem: "" }] = rows;
    log.error({ ...keyOf(account), count: added, sale: saleKey, problem }, "Rows of the network cannot be read");
    await this.#progress.countUnreadable(added);
  }

  /** Asks again for sales whose row could not be read or stored. */
  async #readUnread(): Promise<boolean> {
    const { account, network } = this.#options;
    const rows = await listDueRows(this.#options.database.kysely, keyOf(account), network.salesPerCall);
    if (rows.length === 0) return false;
    await this.#write((queries) => postponeRows(queries, keyOf(account), rows));
    const sales = rows.map(({ sale_key, occurred_at }) => ({
      saleKey: sale_key ?? "",
      occurredAt: occurred_at === null ? null : new Date(Number(occurred_at)),
    }));
    await this.#store(await this.#readSales(sales));
    return true;
  }

  #isOver(error: unknown): boolean {
    return isDatabaseAway(error) || error instanceof LeaseLostError || this.#options.signal.aborted;
  }

  async #write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return inTransaction(this.#options.database.kysely, async (queries) => {
      await this.#options.assertLease(queries);
      return work(queries);
    });
  }

  #readThrough(pass: string, to: number): Promise<void> {
    return this.#write((queries) => this.#progress.moveTo(queries, pass, to));
  }

  async #tell(error: unknown): Promise<void> {
    const { account, log } = this.#options;
    const reason = plainText(messageOf(error), 500);
    if (error instanceof NetworkAwayError) log.warn({ ...keyOf(account), reason }, "The network is away");
    else
      log.error({ ...keyOf(account), err: error instanceof Error ? error : reason }, "The network could not be read");
    const isRefused = error instanceof CallRefusedError || error instanceof AnswerTooLargeError;
    const refusedMs = Math.min(this.#options.account.poll_seconds * 1_000, REFUSED_MS);
    this.#pausedUntil = performance.now() + (isRefused ? Math.max(refusedMs, PAUSE_MS) : PAUSE_MS);
    // Whatever failed, a poll soon shows whether it lasts.
    this.#expeditePoll();
    await this.#progress.failed(reason).catch(() => {});
  }
}

/** Of several rows of one sale in an answer, always the same counts: the last changed, then the lowest amount. */
function onePerSale(reports: readonly SaleReport[]): SaleReport[] {
  const isBefore = (one: SaleReport, other: SaleReport) => {
    if (one.changedAt !== other.changedAt) return (one.changedAt ?? 0n) > (other.changedAt ?? 0n);
    if (one.amountMicros !== other.amountMicros) return one.amountMicros < other.amountMicros;
    return encodeReport(one) < encodeReport(other);
  };
  return [...Map.groupBy(reports, (report) => report.saleKey).values()].flatMap((rows) =>
    rows.reduce((best, row) => (isBefore(row, best) ? row : best)),
  );
}

function keyOf({ network, account }: PolledAccount) {
  return { network, account };
}

/** Windows of at most this length, oldest first. */
function windows(from: number, to: number, maximumMs: number): Window[] {
  const found: Window[] = [];
  for (let start = from; start < to; start += maximumMs)
    found.push({ from: start, to: Math.min(start + maximumMs, to) });
  return found;
}
