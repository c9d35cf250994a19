import { sql } from "kysely";
import type { Logger } from "pino";
import { commissionOf, followCommissions, type Moved } from "../catalogue/followed-percents.ts";
import { type PauseReason, pauseStores } from "../catalogue/pauses.ts";
import { appendAudit, inAuditedTransaction } from "../database/audit-log.ts";
import type { Database } from "../database/connect.ts";
import type { Queries } from "../database/transaction.ts";
import { ANSWER_TOO_LARGE, AnswerTooLargeError } from "../process/outside.ts";
import { isTooMany } from "../rules/commission.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../rules/iso-time.ts";
import type { SaleReport } from "../rules/sale/report.ts";
import type { AccountKey, SaleRules } from "../rules/sale/rules.ts";
import { plainText } from "../rules/text.ts";
import { messageOf } from "../rules/unknown-error.ts";
import type { MatchedStore } from "./account-stores.ts";
import { type HttpCalls, NetworkAwayError } from "./http-calls.ts";
import type { PolledAccount } from "./network.ts";
import type { AnyNetwork } from "./networks.ts";
import {
  concludeRows,
  expediteRound,
  expediteTerms,
  findDueProgramme,
  groupsIn,
  problemOf,
  readByAdvertiser,
  storeProgrammes,
  storeTerms,
} from "./programme-rows.ts";
import { linkSuggestions, type Matched, matchStores, shopShareOf } from "./programme-stores.ts";
import type { Programme } from "./programmes.ts";
import { proposeTaken, type Taken, takenChanges } from "./taken-fields.ts";

const AGAIN_MS = HOUR_MS;
const AWAY_MS = 5 * MINUTE_MS;
const REFUSED_MS = 6 * HOUR_MS;
const WORDS = 300;
const LOOK_MS = 1_000;
const WEEK_DAYS = 7;

export type RoundOptions = {
  database: Database;
  network: AnyNetwork;
  account: PolledAccount;
  rules: Pick<SaleRules, "sharePercent" | "accounts">;
  calls: HttpCalls<PolledAccount>;
  log: Logger;
  assertLease: (queries: Queries) => Promise<void>;
  /** Whether an error ends the reading itself. */
  isOver: (error: unknown) => boolean;
};

type Round = { beganAt: bigint; pages: AsyncIterator<readonly Programme[]>; seen: Set<string> };

/**
 * Reads an account's programmes once a day, a page or a programme at a time between the calls for sales. A process that
 * ends in the middle of a round begins it again. docs/product.md#programmes
 */
export class ProgrammeRounds {
  readonly #options: RoundOptions;
  #round: Round | undefined;
  #nextLookAt = 0;
  /** Only another process has another account. */
  #isFirstLook = true;

  constructor(options: RoundOptions) {
    this.#options = options;
  }

  get #key() {
    const { network, account } = this.#options.account;
    return { network, account };
  }

  /** A sale whose commission is below what is known of its programme has it read now. */
  async notice(report: SaleReport): Promise<void> {
    const { amountMicros, commissionMicros, commissionCurrency, currency, advertiserId, parts } = report;
    if (advertiserId === null || commissionMicros === null || amountMicros <= 0n || report.status === "declined")
      return;
    if ((commissionCurrency ?? currency) !== currency) return;
    const { kysely } = this.#options.database;
    const [programme] = await readByAdvertiser(kysely, this.#key, [advertiserId]);
    const groups = programme && groupsIn(programme);
    if (!groups) return;
    const sold = parts.length > 0 ? parts : [{ group: null, amountMicros }];
    const due = sold.reduce((sum, { group, amountMicros: amount }) => {
      const { bps } = commissionOf({ groupCode: group }, groups);
      return sum + amount * (bps ?? 0n);
    }, 0n);
    // A hundredth of it may be rounding.
    if (commissionMicros * 10_100n >= due) return;
    await expediteTerms(kysely, this.#key, advertiserId);
    if (this.#options.network.programmes.readTerms === undefined) await expediteRound(kysely, this.#key, HOUR_MS);
    this.#nextLookAt = 0;
  }

  /** Makes the next call, if one is due. Nothing that it meets disturbs the reading of sales. */
  async step(): Promise<boolean> {
    if (this.#round) return this.#nextPage(this.#round);
    if (performance.now() < this.#nextLookAt) return false;
    const { kysely } = this.#options.database;
    const now = Date.now();
    const known = await this.#readRound(kysely);
    const isAskedAnew = this.#isFirstLook && known?.problem === ANSWER_TOO_LARGE;
    this.#isFirstLook = false;
    if (!known || known.next_at <= now || isAskedAnew) {
      const { network, calls } = this.#options;
      const pages = network.programmes.list(calls)[Symbol.asyncIterator]();
      this.#round = { beganAt: BigInt(now), pages, seen: new Set() };
      // Whoever asks for another round meanwhile gets one, and so does a process that ends in the middle of this one.
      await this.#write((queries) => this.#setRound(queries, { next_at: BigInt(now + AGAIN_MS) }));
      return this.#nextPage(this.#round);
    }
    if (await this.#readDueTerms()) return true;
    this.#nextLookAt = performance.now() + LOOK_MS;
    return false;
  }

  #readRound(queries: Queries) {
    return queries
      .selectFrom("programme_rounds")
      .selectAll()
      .where("network", "=", this.#key.network)
      .where("account", "=", this.#key.account)
      .executeTakeFirst();
  }

  async #nextPage(round: Round): Promise<boolean> {
    try {
      const page = await round.pages.next();
      if (page.done) {
        this.#round = undefined;
        await this.#conclude(round.beganAt);
        return true;
      }
      // Of several rows of one programme the first counts.
      const once = page.value.filter(({ advertiserId }) => {
        const isFirst = !round.seen.has(advertiserId);
        round.seen.add(advertiserId);
        return isFirst;
      });
      await this.#write((queries) => storeProgrammes(queries, this.#key, once, round.beganAt));
    } catch (error) {
      if (this.#options.isOver(error)) throw error;
      this.#round = undefined;
      await this.#postpone(error);
    }
    return true;
  }

  async #postpone(error: unknown): Promise<void> {
    const problem = plainText(messageOf(error), WORDS);
    // A list that is too large still is in an hour.
    const againMs = error instanceof AnswerTooLargeError ? DAY_MS : AGAIN_MS;
    const afterMs = error instanceof NetworkAwayError ? AWAY_MS : againMs;
    this.#options.log.warn({ ...this.#key, reason: problem }, "The programmes could not be read; tried again later");
    await this.#write((queries) => this.#setRound(queries, { next_at: BigInt(Date.now() + afterMs), problem }));
  }

  #setRound(
    queries: Queries,
    change: { began_at?: bigint; next_at: bigint; withheld?: bigint | null; problem?: string | null },
  ) {
    return queries
      .insertInto("programme_rounds")
      .values({ ...this.#key, ...change })
      .onConflict((conflict) => conflict.columns(["network", "account"]).doUpdateSet(change))
      .execute();
  }

  /** The round is whole: stores follow what it says, unless it says too much at once. */
  async #conclude(beganAt: bigint): Promise<void> {
    await this.#write((queries) => concludeRows(queries, this.#key, beganAt));
    const { kysely } = this.#options.database;
    const changed: Taken[] = [];
    const problems: Problem[] = [];
    for await (const some of matchStores(kysely, this.#options)) {
      const followed = await this.#write(async (queries) => {
        await linkSuggestions(queries, some);
        const found: Problem[] = [];
        for (const matched of some) {
          const earns = (await this.#follow(queries, matched))?.earns !== false;
          // A store with several programmes sells as long as one of them does.
          const said = matched.programmes.map((one) => problemOf(one, beganAt));
          const [first = null] = said.includes(undefined) ? [] : said;
          found.push({ store: matched.store, reason: first ?? (earns ? null : "no_commission") });
        }
        return found;
      });
      problems.push(...followed);
      changed.push(...some.flatMap(takenChanges));
    }
    const isBraked = await this.#write((queries) => this.#pauseAll(queries, { beganAt, problems, changed }));
    if (isBraked)
      this.#options.log.error(this.#key, "The network would change too many stores at once; none is changed");
    else this.#options.log.info(this.#key, "The programmes were read");
  }

  async #pauseAll(queries: Queries, { beganAt, problems, changed }: Concluded): Promise<boolean> {
    const known = await this.#readRound(queries);
    const acceptedUntil = Number(known?.accepted_until ?? 0n);
    const isAccepted = acceptedUntil > Date.now();
    const isOver = (some: readonly unknown[], before = 0) =>
      !isAccepted && some.length > 0 && isTooMany(some.length + before, problems.length);
    const ending = problems.filter(({ store, reason }) => reason !== null && store.paused_since === null);
    const returning = problems.filter(({ store, reason }) => reason === null && store.paused_since !== null);
    // A bad day whose rounds each pause a few would empty the shop by the evening.
    const since = Math.max(Date.now() - DAY_MS, acceptedUntil);
    const lately = problems.filter(({ store, reason }) => reason !== null && Number(store.paused_since ?? 0n) > since);
    const isBadDay = isOver(ending, lately.length);
    if (!isBadDay)
      for (const [reason, group] of Map.groupBy(ending, (one) => one.reason)) await this.#pause(queries, group, reason);
    await this.#pause(queries, returning, null);
    if (!isOver(changed)) for (const one of changed) await proposeTaken(queries, one);
    const withheld = Math.max(isBadDay ? ending.length : 0, isOver(changed) ? changed.length : 0);
    const isAskedAgain = known !== undefined && known.next_at !== beganAt + BigInt(AGAIN_MS);
    const next_at = isAskedAgain ? known.next_at : beganAt + BigInt(DAY_MS);
    const over = { withheld: withheld > 0 ? BigInt(withheld) : null, problem: null };
    await this.#setRound(queries, { began_at: beganAt, next_at, ...over });
    return withheld > 0;
  }

  async #pause(
    queries: Queries,
    stores: readonly { store: MatchedStore }[],
    reason: PauseReason | null,
  ): Promise<void> {
    const ids = stores.map(({ store }) => store.id);
    await pauseStores(queries, ids, reason);
    for (const { store } of stores)
      await this.#log(queries, store, reason === null ? "store.unpause" : "store.pause", { reason });
  }

  /** Undefined while the rates of one of its programmes were never read. */
  async #follow(queries: Queries, { store, programmes }: Matched) {
    const groups = programmes.map(groupsIn);
    if (groups.some((one) => one === undefined)) return undefined;
    const outcome = await followCommissions(
      queries,
      store.id,
      groups.flatMap((one) => one ?? []),
      { store: store.cashback_share_percent, shop: shopShareOf(this.#options.account, this.#options.rules) },
    );
    await this.#logMoved(queries, store, outcome.moved);
    return outcome;
  }

  /** Reads the rates of the programme that waits longest, where that takes calls of its own. */
  async #readDueTerms(): Promise<boolean> {
    const { network, calls, database, log } = this.#options;
    const { readTerms } = network.programmes;
    if (!readTerms) return false;
    const due = await findDueProgramme(database.kysely, this.#key);
    if (!due) return false;
    try {
      // First the rates of all: what is expected only informs, and costs a call.
      const isFirst = due.groups === null;
      // Where none are said, they are asked for two days, and then once a week, each programme on a day of its own.
      const isNew = Number(due.created_at) > Date.now() - 2 * DAY_MS;
      const isItsDay = (Math.floor(Date.now() / DAY_MS) + Number(due.id)) % WEEK_DAYS === 0;
      const isDaysDue = !isFirst && due.expected_days === null && (isNew || isItsDay);
      const terms = await readTerms(calls, due.advertiser_id, isDaysDue);
      await this.#write(async (queries) => {
        await storeTerms(queries, due.id, terms, isFirst ? HOUR_MS : DAY_MS);
        if (due.store_id === null) return;
        for await (const some of matchStores(queries, this.#options, due.store_id))
          for (const matched of some) {
            const outcome = await this.#follow(queries, matched);
            const isPausedForThat = matched.store.paused_reason === ("no_commission" satisfies PauseReason);
            // Which stores pause, only a whole round says.
            if (outcome && outcome.earns === isPausedForThat) await hastenRound(queries, this.#key, HOUR_MS);
          }
      });
    } catch (error) {
      if (this.#options.isOver(error)) throw error;
      // The account waits as its network asks; the programme keeps its place.
      if (error instanceof NetworkAwayError) return true;
      const reason = plainText(messageOf(error), WORDS);
      log.warn({ ...this.#key, programme: due.advertiser_id, reason }, "The rates of a programme could not be read");
      await this.#write((queries) => storeTerms(queries, due.id, undefined, REFUSED_MS));
    }
    return true;
  }

  async #logMoved(queries: Queries, store: MatchedStore, moved: readonly Moved[]): Promise<void> {
    for (const { categoryId, category, from, to } of moved) {
      const detail = { category, cashback_percent: to, was: { category, cashback_percent: from } };
      await this.#log(queries, store, "cashback.follow", detail, `/cashback:${categoryId}`);
    }
  }

  #log(queries: Queries, { id, name }: MatchedStore, action: string, detail: object, place = ""): Promise<void> {
    const actor = `network:${this.#key.network}/${this.#key.account}`;
    return appendAudit(queries, { actor, action, subject: `store:${id}${place}`, detail: { store: name, ...detail } });
  }

  #write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return inAuditedTransaction(this.#options.database.kysely, null, async (queries) => {
      await this.#options.assertLease(queries);
      return work(queries);
    });
  }
}

type Problem = { store: MatchedStore; reason: PauseReason | null };

type Concluded = {
  beganAt: bigint;
  problems: readonly Problem[];
  changed: readonly Taken[];
};

/** The next round begins so long after the last one, unless it does sooner. */
async function hastenRound(queries: Queries, { network, account }: AccountKey, afterMs: number): Promise<void> {
  const next_at = sql<bigint>`began_at + ${BigInt(afterMs)}`;
  await queries
    .updateTable("programme_rounds")
    .set({ next_at })
    .where("network", "=", network)
    .where("account", "=", account)
    .where("next_at", ">", next_at)
    .execute();
}
