import { setImmediate as nextTurn } from "node:timers/promises";
import { mendNames, nameReader } from "../../core/catalogue/chain-names.ts";
import { deleteOldOffers } from "../../core/catalogue/offers.ts";
import { auditHeadText, readAuditHead } from "../../core/database/audit-log.ts";
import { readClock } from "../../core/database/clock.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { type SqliteThread, startSqliteThread } from "../../core/database/sqlite/thread.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { forgetAlive, newLeaseHolder, sayAlive } from "../../core/process/lease.ts";
import { NETWORK_RULES } from "../../core/process/network-rules.ts";
import { deleteOldEvents } from "../../core/purchases/events.ts";
import { deleteClosedPayments } from "../../core/purchases/fan-figures.ts";
import { deleteSimulatedDays } from "../../core/purchases/simulated-limits.ts";
import { dailyRateKeeper } from "../../core/rates/daily-rates.ts";
import { type Difference, pausingReason, type Reconciliation } from "../../core/reconcile/reconcile.ts";
import type { ListedDifference } from "../../core/rules/api/admin-figures.ts";
import { DAY_MS, HOUR_MS } from "../../core/rules/iso-time.ts";
import { SESSION_MS } from "../../core/rules/session.ts";
import { deleteOldClicks } from "../../core/sales/clicks.ts";
import { MissingRates } from "../../core/sales/missing-rates.ts";
import { explainNonces, foreignText } from "../../core/sender/foreign-transactions.ts";
import { takeEffect } from "../admin/proposals.ts";
import { takeLogos } from "../assets/programme-logos.ts";
import { deleteOldPictures } from "../clicks/pictures.ts";
import { deleteOldShopEvents } from "../hooks/routes.ts";
import { deleteEndedCounts } from "../http/purses.ts";
import { deleteOldMails } from "../mail/queue.ts";
import { hashStoredTokens } from "../mail/subscriptions.ts";
import { deleteOldMarks } from "../people/invites.ts";
import { deleteExpired } from "../people/sessions.ts";
import { deleteStoredAnswers } from "../purchases/idempotency-keys.ts";
import { decideLateBonuses } from "../purchases/late-bonuses.ts";
import type { Services } from "../services.ts";
import { deleteOldSiteFiles } from "../site/shared-files.ts";
import type { Metrics } from "./metrics.ts";
import { notify } from "./notices.ts";
import type { ReconcilerAnswer } from "./reconciler-thread.ts";
import { type Runway, readRunway } from "./runway.ts";

const LOOK_EVERY_MS = 1_000;
/** An api that was killed counts for this long. */
const ALIVE_MS = 30_000;
const SAY_ALIVE_MS = 5_000;
/** At least so long, and so many blocks. */
const NONCES = { ms: 5_000, blocks: 20 };
const RUNWAY = { ms: 60_000, blocks: 100 };
const CLEANING_MS = 10 * 60_000;
const NOTICES_MS = 5_000;
const PROPOSALS_MS = 5_000;
/** A third of the time after which an api counts as ended. */
const RULES_MS = 30_000;
const IDS_MS = 500;
const DAILY_RATE_MS = 5_000;
const RATES_MS = 1_000;
const LATE_BONUSES_MS = 1_000;
const LOGOS_MS = 2_000;
const IDS_TOLD_EVERY_MS = 30_000;
const DELETED_AT_ONCE = 500;
/** Once no process of 1.0.0 runs beside this one any more: it knows a token only as it is. */
const HASHING_AFTER_MS = HOUR_MS;
const ANSWERS_KEPT_MS = DAY_MS;

/** Background work of the api: reconciles with the chain, and deletes expired rows. */
export function startHousekeeping(
  services: Services,
  metrics: Metrics,
  {
    onRunway,
    announceRules,
    share,
  }: { onRunway: (runway: Runway) => void; announceRules: () => Promise<void>; share: () => Promise<void> },
): () => Promise<void> {
  const reconciler = new Reconciler();
  let isReconciling = false;
  const timers = [
    setInterval(() => void quietly(services, () => clean(services)), CLEANING_MS),
    setInterval(() => void quietly(services, announceRules), RULES_MS),
    setInterval(() => void quietly(services, share), HOUR_MS),
    setInterval(() => {
      // Only in the process that sends.
      if (isReconciling || !services.senders.isOperator) return;
      isReconciling = true;
      void quietly(services, () => compare(services, metrics, reconciler)).finally(() => {
        isReconciling = false;
      });
    }, services.environment.RECONCILE_INTERVAL_SECONDS * 1_000),
    whileSending(services, services.environment.RECONCILE_INTERVAL_SECONDS * 1_000, () => mend(services)),
    whileSending(services, atLeast(services, NONCES), () => watchNonces(services)),
    whileSending(services, NOTICES_MS, () => notify(services)),
    whileSending(services, DAY_MS, () => tellAuditHead(services)),
    whileSending(services, PROPOSALS_MS, () => takeEffect(services)),
    whileSending(services, atLeast(services, RUNWAY), async () => onRunway(await readRunway(services))),
    whileSending(services, RATES_MS, rateAsker(services)),
    whileSending(
      services,
      LATE_BONUSES_MS,
      once(() => decideLateBonuses(services)),
    ),
    whileSending(
      services,
      LOGOS_MS,
      once(() => takeLogos(services)),
    ),
  ];
  const keepRate = dailyRateKeeper(services.database.kysely, services.rates);
  timers.push(setInterval(() => void quietly(services, keepRate), DAILY_RATE_MS));
  timers.push(openIds(services), findStoreIds(services), watchStaffContracts(services));
  const alive = shareAmongApis(services);
  timers.push(alive.timer);
  timers.push(setTimeout(() => void quietly(services, () => hashTokens(services)), HASHING_AFTER_MS));
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
    void reconciler.end();
    return alive.end();
  };
}

/** What asks a node takes its pace from the chain. docs/operations.md#node-calls */
function atLeast({ network }: Services, { ms, blocks }: { ms: number; blocks: number }): number {
  return Math.max(ms, blocks * NETWORK_RULES[network].blockMs);
}

/** Each api that is alive holds an equal share of every purse. docs/product.md#purses */
function shareAmongApis(services: Services) {
  const { database, gate } = services;
  const holder = newLeaseHolder("api");
  const say = () => quietly(services, async () => gate.share(await sayAlive(database, "api", holder, ALIVE_MS)));
  void say();
  const timer = setInterval(() => void say(), SAY_ALIVE_MS);
  return { timer, end: () => quietly(services, () => forgetAlive(database, holder)) };
}

/** Runs when this process starts to send, and then periodically. */
function whileSending(services: Services, everyMs: number, work: () => Promise<void>): NodeJS.Timeout {
  let dueAt = 0;
  return setInterval(() => {
    if (!services.senders.isOperator || performance.now() < dueAt) return;
    dueAt = performance.now() + everyMs;
    void quietly(services, work);
  }, LOOK_EVERY_MS);
}

/** The same work, unless it still runs. */
function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return async () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    await running;
  };
}

/** Once a day into the log, which leaves this machine: an audit log whose end is cut no longer has it. docs/product.md#audit-log */
async function tellAuditHead({ database, log }: Services): Promise<void> {
  const head = auditHeadText(await readAuditHead(database.kysely));
  await writeSetting(database.kysely, "audit_head", head);
  log.info({ audit_log: head }, "The end of the audit log: its last row and hash");
}

/** Tickets must show the store's name, so names that are missing or different on chain are registered there. */
async function mend({ database, client, contracts, senders, log }: Services): Promise<void> {
  const misnamed = await mendNames(database, nameReader(client, contracts));
  if (misnamed.length === 0) return;
  log.warn({ stores: misnamed.slice(0, 20), count: misnamed.length }, "Stores have a different name on chain");
  senders.wake();
}

/**
 * Tells the network reader, which has no node of its own, that ids can be assigned. Again and again: in a database that
 * was restored or moved back in time, an old word of it says nothing.
 */
function openIds(services: Services): NodeJS.Timeout {
  const { kysely } = services.database;
  let nextAt = 0;
  const timer = setInterval(() => {
    void quietly(services, async () => {
      if (performance.now() < nextAt || !(await services.ids.isOpen(kysely))) return;
      nextAt = performance.now() + IDS_TOLD_EVERY_MS;
      await writeSetting(kysely, "ids_open", String(await readClock(kysely)));
    });
  }, IDS_MS);
  return timer;
}

/** At the start, and again each hour. */
function watchStaffContracts(services: Services): NodeJS.Timeout {
  let nextAt = 0;
  return setInterval(() => {
    if (!services.nodes.isReady || performance.now() < nextAt) return;
    nextAt = Infinity;
    void quietly(services, async () => {
      nextAt = performance.now() + (await services.staffContracts.look());
    });
  }, IDS_MS);
}

/** Done early, so that an admin can create stores while the chain is unavailable. */
function findStoreIds(services: Services): NodeJS.Timeout {
  const timer = setInterval(() => {
    if (!services.nodes.isReady) return;
    void quietly(services, async () => {
      await services.storeIds.skipRegistered();
      clearInterval(timer);
    });
  }, IDS_MS);
  return timer;
}

/** Records early where each key's nonces start for this database, and finds nonces used by other programs. */
async function watchNonces({ database, client, contracts, senders }: Services): Promise<void> {
  for (const key of senders.keys) await explainNonces({ database, client, contracts, key });
}

/** What the network reader does for its accounts: nobody reads those of direct shops. docs/product.md#sales-rates */
function rateAsker({ accounts, database, saleRules: rules, ids, senders, log }: Services): () => Promise<void> {
  const { kysely } = database;
  const direct = rules.fx.url === undefined ? [] : accounts.filter(({ network }) => network === "direct");
  const waiting = direct.map(({ network, account }) => {
    const write = <T>(work: (queries: Queries) => Promise<T>) => inTransaction(kysely, work);
    return new MissingRates({ database, key: { network, account }, rules, log, write });
  });
  let isAsking = false;
  return async () => {
    if (isAsking || waiting.length === 0 || !(await ids.isOpen(kysely))) return;
    isAsking = true;
    try {
      for (const one of waiting) if ((await one.apply()) > 0) senders.wake();
    } finally {
      isAsking = false;
    }
  };
}

/** What goes, each with its own age; docs/operations.md#what-ends names all tables. */
const ENDS: readonly ((queries: Queries, now: bigint, limit: number) => Promise<boolean>)[] = [
  (queries, now, limit) => deleteSimulatedDays(queries, limit, Number(now)),
  (queries, now, limit) => deleteExpired(queries, now - BigInt(SESSION_MS), limit),
  deleteOldMails,
  deleteOldEvents,
  (queries, now, limit) => deleteStoredAnswers(queries, now - BigInt(ANSWERS_KEPT_MS), limit),
  deleteEndedCounts,
  deleteOldShopEvents,
  deleteOldPictures,
  deleteOldClicks,
  deleteOldSiteFiles,
  deleteOldOffers,
  deleteOldMarks,
  deleteClosedPayments,
];

/** Deletes what has expired, a page at a time, so that no request waits for a large deletion. */
export async function clean({ database }: Pick<Services, "database">, now = BigInt(Date.now())): Promise<void> {
  for (const deleteSome of ENDS) {
    while (await inTransaction(database.kysely, (queries) => deleteSome(queries, now, DELETED_AT_ONCE)))
      await nextTurn();
  }
  await forgetAlive(database);
}

/** Tokens of links that 1.0.0 stored as they are. docs/product.md#mail */
export async function hashTokens({ database: { kysely } }: Pick<Services, "database">): Promise<void> {
  for (let last: string | undefined = ""; last !== undefined; await nextTurn())
    last = await hashStoredTokens(kysely, last);
}

/** Only a shortfall or a contradiction pauses payouts, until an admin resumes them. docs/product.md#reconcile */
async function compare(services: Services, metrics: Metrics, reconciler: Reconciler): Promise<void> {
  const { log } = services;
  const result = await reconciler.compare();
  metrics.observeReconciliation(result);
  if (result.outcome === "cannot say") return log.warn({ reason: result.reason }, "Cannot reconcile now");
  await noteDifferences(services, result.differences);
  const { differences, surplusWei, foreign, tokens, block } = result;
  for (const one of foreign) log.warn({ nonce: one.nonce, hash: one.hash }, foreignText(one));
  if (surplusWei > 0n) log.warn({ surplusWei }, "The distributor holds more CHZ than it should");
  const reason = pausingReason(result);
  if (!reason) return log.info({ tokens, block }, "Database and chain agree");
  log.error({ differences: differences.slice(0, 20), count: differences.length }, "Database and chain differ");
  await services.payouts.pause(reason);
}

const DIFFERENCES_LISTED = 20;

async function noteDifferences({ database }: Services, differences: readonly Difference[]): Promise<void> {
  const listed: ListedDifference[] = differences
    .slice(0, DIFFERENCES_LISTED)
    .map(({ kind, tokenId }) => ({ kind, purchase_id: tokenId === undefined ? null : Number(tokenId) }));
  await inTransaction(database.kysely, async (queries) => {
    await writeSetting(queries, "differences", String(differences.length));
    await writeSetting(queries, "difference_list", JSON.stringify(listed));
  });
}

async function quietly({ log }: Services, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ err: error instanceof Error ? error.message : error }, "Housekeeping failed; it runs again later");
  }
}

/**
 * Compares database and chain in a thread with its own connections, so that it does not delay requests. The first
 * comparison starts the thread; the next one replaces a thread that died.
 */
class Reconciler {
  #thread: SqliteThread | undefined;

  /** One comparison at a time. @throws what ended the thread, or the comparison. */
  async compare(): Promise<Reconciliation> {
    this.#thread ??= this.#start();
    const { worker } = this.#thread;
    worker.postMessage("compare");
    const { promise, resolve, reject } = Promise.withResolvers<ReconcilerAnswer>();
    const onExit = () => reject(new Error("The thread that compares database and chain ended"));
    worker.on("message", resolve).on("error", reject).on("exit", onExit);
    try {
      const answer = await promise;
      if ("message" in answer) throw new Error(answer.message);
      return answer.result;
    } finally {
      worker.off("message", resolve).off("error", reject).off("exit", onExit);
    }
  }

  async end(): Promise<void> {
    await this.#thread?.end();
  }

  #start(): SqliteThread {
    const thread = startSqliteThread(new URL("./reconciler-thread.ts", import.meta.url));
    const { worker } = thread;
    worker.unref();
    const forget = () => {
      if (this.#thread === thread) this.#thread = undefined;
    };
    worker.on("error", forget);
    worker.on("exit", forget);
    return thread;
  }
}
