import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Counter, type Registry } from "prom-client";
import { getDomain } from "tldts";
import { among } from "../../core/database/among.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { assertLease, type Lease, leadWhileHeld, newLeaseHolder } from "../../core/process/lease.ts";
import { postToStranger } from "../../core/process/outside.ts";
import { takePushable } from "../../core/purchases/events.ts";
import { TOPIC_OF } from "../../core/rules/events.ts";
import { BIG_DAY_MS, DAY_SECONDS } from "../../core/rules/iso-time.ts";
import { codeOf, messageOf } from "../../core/rules/unknown-error.ts";
import type { Services } from "../services.ts";

/* Messages to devices: written, sent and forgotten. docs/product.md#push */

const LEASE = "push";
const LEASE_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
const EVENTS_AT_ONCE = 500;
const LISTED = 500;
/**
 * A domain's messages are sent beside every other's, so that one that hangs keeps nobody else's waiting. Anybody can name
 * many domains that hang: those whose last answer was not quick share a few lanes, and leave the others'.
 */
const LANES = { quick: 16, doubtful: 8, all: 64 };
const MOST_REMEMBERED = 1_000;
const LANE_LENGTH = 60;
const AT_ONCE = 12;
/** How long a push service may take, what it has left once the process ends, and how long is quick, in ms. */
export const PUSH_LIMITS = { answer: 10_000, lastAnswer: 3_000, quick: 2_000 };
/** For longer than a lane takes, however slowly its service answers, and refuses all that are too long. */
const CLAIM_MS = BigInt(2 * (LANE_LENGTH / AT_ONCE) * PUSH_LIMITS.answer + 30_000);
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 900_000;
const BUSY_MS = 1_000n;
/** What is older is no news: it stands in the bell. */
const GIVEN_UP_MS = BIG_DAY_MS;
const RETRY_AFTER_S = 60;

/** Those of the browsers; strangers name any other, and make it fail as they like. */
const GREAT_SERVICES = ["apple.com", "googleapis.com", "mozilla.com", "windows.com"];
/** `gone`: the device is. `busy`: it waits as long as its service says. `refused`: for another reason. `away`: no answer. */
const OUTCOMES = ["taken", "gone", "busy", "refused", "away"] as const;

type Waiting = { id: bigint; endpoint: string };
/** `later`: the service is away or busy, and so for the next. */
type Outcome = "done" | "later";

/**
 * Sends messages to devices in a loop of its own, in one api process at a time, until the returned function is called.
 * Whoever is killed before it is recorded sends that message again, with the same `Topic` and tag, by which the service
 * and the device put it in the place of the first.
 */
export function startPusher(services: Services, registry: Registry): () => Promise<void> {
  const { database, log, environment } = services;
  if (!environment.VAPID_KEY_FILE) return async () => {};
  const pusher = new Pusher(services);
  pusher.countIn(registry);
  const ending = new AbortController();
  const { signal } = ending;
  const onError = (error: unknown) => log.warn({ reason: messageOf(error) }, "The pusher's lease could not be renewed");
  const lead = leadWhileHeld(
    { database, name: LEASE, holder: newLeaseHolder("push"), ttlMs: LEASE_MS, signal, onError },
    async (lease, held) => {
      while (!held.aborted) {
        await pusher
          .look(lease, held)
          .catch((error: unknown) =>
            log.warn({ reason: messageOf(error) }, "Messages to devices could not be sent; they are tried again"),
          );
        await delay(LOOK_EVERY_MS, undefined, { signal: held }).catch(() => {});
      }
      await pusher.settled();
    },
  );
  const leading = lead.catch((error: unknown) => log.error({ reason: messageOf(error) }, "The pusher ended"));
  return () => {
    ending.abort();
    return leading;
  };
}

export class Pusher {
  readonly #services: Pick<Services, "database" | "log" | "environment">;
  readonly #limits: typeof PUSH_LIMITS;
  readonly #lanes = new Map<string, Promise<void>>();
  /** The domains that answer quickly. */
  readonly #quick = new Set<string>();

  #count: (domain: string, outcome: (typeof OUTCOMES)[number]) => void = () => {};

  constructor(services: Pick<Services, "database" | "log" | "environment">, limits = PUSH_LIMITS) {
    this.#services = services;
    this.#limits = limits;
  }

  countIn(registry: Registry): void {
    const attempts = new Counter({
      name: "torcida_push_attempts_total",
      help: "Messages to devices, by how their push service answered",
      labelNames: ["service", "outcome"],
      registers: [registry],
    });
    // From 0 on, so that the first is seen as one more.
    for (const service of [...GREAT_SERVICES, "other"]) {
      for (const outcome of OUTCOMES) attempts.inc({ service, outcome }, 0);
    }
    this.#count = (domain, outcome) =>
      attempts.inc({ service: GREAT_SERVICES.includes(domain) ? domain : "other", outcome });
  }

  /** Writes the messages of new events, and begins to send those that are due, a lane for each domain. */
  async look(lease: Lease | undefined, held: AbortSignal): Promise<void> {
    const { kysely } = this.#services.database;
    await inTransaction(kysely, async (queries) => {
      if (lease) await assertLease(queries, lease);
      await writePushes(queries);
    });
    const due = await listDue(kysely);
    for (const [domain, waiting] of Map.groupBy(due, laneOf)) {
      if (held.aborted) return;
      const isQuick = this.#quick.has(domain);
      const alike = [...this.#lanes.keys()].filter((one) => this.#quick.has(one) === isQuick).length;
      const isRoom = alike < (isQuick ? LANES.quick : LANES.doubtful) && this.#lanes.size < LANES.all;
      const isFree = isRoom && !this.#lanes.has(domain);
      const [now, later] = isFree ? [waiting.slice(0, LANE_LENGTH), waiting.slice(LANE_LENGTH)] : [[], waiting];
      // So that the many of one domain hide no other's behind them.
      await putOff(kysely, later, BUSY_MS);
      const taken = await claim(kysely, now);
      if (taken.length === 0) continue;
      const lane = this.#sendAll(domain, taken, held)
        .catch((error: unknown) => this.#services.log.warn({ reason: messageOf(error) }, "A message was not recorded"))
        .finally(() => this.#lanes.delete(domain));
      this.#lanes.set(domain, lane);
    }
  }

  /** Once all that was begun has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#lanes.values());
  }

  async #sendAll(domain: string, ids: readonly bigint[], held: AbortSignal): Promise<void> {
    const { kysely } = this.#services.database;
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const rest = ids.slice(from).map((id) => ({ id }));
      // Not tried: due as before.
      if (held.aborted) return putOff(kysely, rest, 0n);
      const outcomes = await Promise.all(rest.slice(0, AT_ONCE).map(({ id }) => this.#sendOne(domain, id, held)));
      if (outcomes.includes("later")) return putOff(kysely, rest.slice(AT_ONCE), BigInt(FIRST_RETRY_MS));
    }
  }

  async #sendOne(domain: string, id: bigint, held: AbortSignal): Promise<Outcome> {
    const { database, log } = this.#services;
    const { kysely } = database;
    const push = await findWanted(kysely, id);
    if (!push) {
      await dropPush(kysely, id);
      return "done";
    }
    let reason: string;
    try {
      let { status, headers } = await this.#post(domain, push, false, held);
      // As short as it can be.
      if (status === 413) ({ status, headers } = await this.#post(domain, push, true, held));
      if (status >= 200 && status < 300) {
        this.#count(domain, "taken");
        await dropPush(kysely, id);
        return "done";
      }
      this.#count(domain, outcomeOf(status));
      log.warn({ push: Number(id), domain, status }, "A message to a device was not taken");
      if (status === 404 || status === 410) {
        await kysely.deleteFrom("push_devices").where("id", "=", push.device_id).execute();
        return "done";
      }
      if (status === 413) {
        await dropPush(kysely, id);
        return "done";
      }
      if (status === 429) {
        await putOffDevice(kysely, push.device_id, headers["retry-after"]);
        return "done";
      }
      reason = String(status);
    } catch (error) {
      reason = codeOf(error) ?? (error instanceof Error ? error.name : "unknown");
      if (held.aborted) {
        await putOff(kysely, [{ id }], 0n);
        return "later";
      }
      this.#count(domain, "away");
      log.warn({ push: Number(id), domain, reason }, "A message to a device was not sent");
    }
    await recordFailure(kysely, push);
    return /^[1-4]/.test(reason) ? "done" : "later";
  }

  async #post(domain: string, push: Push, isShort: boolean, held: AbortSignal) {
    const { VAPID_KEY_FILE: keys, VAPID_SUBJECT: subject = "", isLocal } = this.#services.environment;
    if (!keys) throw new Error("VAPID_KEY_FILE is missing");
    const { messageOf, seal } = await import("./message.ts");
    const sealed = seal(messageOf(push, { isShort }), push, { ...keys, subject });
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    const timers = [
      setTimeout(stop, this.#limits.answer),
      setTimeout(() => this.#quick.delete(domain), this.#limits.quick),
    ];
    const began = performance.now();
    const hurry = () => setTimeout(stop, this.#limits.lastAnswer).unref();
    held.addEventListener("abort", hurry);
    try {
      const answer = await postToStranger(new URL(push.endpoint), { ...sealed, signal: attempt.signal, isLocal });
      if (performance.now() - began < this.#limits.quick) {
        this.#quick.add(domain);
        const [oldest] = this.#quick;
        if (oldest && this.#quick.size > MOST_REMEMBERED) this.#quick.delete(oldest);
      }
      return answer;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      held.removeEventListener("abort", hurry);
    }
  }
}

function outcomeOf(status: number): (typeof OUTCOMES)[number] {
  if (status === 404 || status === 410) return "gone";
  if (status === 429) return "busy";
  return status < 500 ? "refused" : "away";
}

const laneOf = ({ endpoint }: Waiting): string => {
  const { hostname } = new URL(endpoint);
  return getDomain(hostname) ?? hostname;
};

/** Writes the messages of new events, each for each device of its reader, in the transaction of the caller. */
async function writePushes(queries: Queries): Promise<void> {
  const now = BigInt(Date.now());
  const events = await takePushable(queries, now, EVENTS_AT_ONCE);
  if (events.length === 0) return;
  const at = sql<bigint>`cast(${now} as bigint)`;
  await queries
    .insertInto("pushes")
    .columns(["device_id", "event_id", "created_at", "due_at"])
    .expression(
      queries
        .selectFrom("events")
        .innerJoin("push_devices", "push_devices.wallet", "events.wallet")
        .where(among(queries, "events.id", events))
        .where("events.created_at", ">", now - GIVEN_UP_MS)
        .select(["push_devices.id", "events.id as event_id", at.as("created_at"), at.as("due_at")]),
    )
    .onConflict((conflict) => conflict.columns(["device_id", "event_id"]).doNothing())
    .execute();
}

async function listDue(queries: Queries): Promise<Waiting[]> {
  return queries
    .selectFrom("pushes")
    .innerJoin("push_devices", "push_devices.id", "pushes.device_id")
    .select(["pushes.id", "endpoint"])
    .where("due_at", "<=", BigInt(Date.now()))
    .orderBy("due_at")
    .limit(LISTED)
    .execute();
}

/** Keeps messages from being sent by anybody else: then whoever has them must be gone. Returns those that it could. */
async function claim(queries: Queries, waiting: readonly Waiting[]): Promise<bigint[]> {
  if (waiting.length === 0) return [];
  const now = BigInt(Date.now());
  const taken = await queries
    .updateTable("pushes")
    .set({ due_at: now + CLAIM_MS })
    .where(
      among(
        queries,
        "id",
        waiting.map(({ id }) => id),
      ),
    )
    .where("due_at", "<=", now)
    .returning("id")
    .execute();
  return taken.map(({ id }) => id);
}

async function putOff(queries: Queries, waiting: readonly { id: bigint }[], byMs: bigint): Promise<void> {
  if (waiting.length === 0) return;
  const ids = waiting.map(({ id }) => id);
  await queries
    .updateTable("pushes")
    .set({ due_at: BigInt(Date.now()) + byMs })
    .where(among(queries, "id", ids))
    .execute();
}

/** The service of a device has had enough for now: seconds, or a date. RFC 9110 */
async function putOffDevice(queries: Queries, device: bigint, said: string | undefined): Promise<void> {
  const now = Date.now();
  const seconds = /^\d{1,9}$/.test(said ?? "") ? Number(said) : (Date.parse(said ?? "") - now) / 1_000;
  const waits = Math.ceil(Math.min(Math.max(seconds || RETRY_AFTER_S, 1), DAY_SECONDS));
  await queries
    .updateTable("pushes")
    .set({ due_at: BigInt(now + waits * 1_000) })
    .where("device_id", "=", device)
    .execute();
}

type Push = NonNullable<Awaited<ReturnType<typeof findWanted>>>;

/** A message as it is now, with its words; undefined if its reader does not want it any more, or it is no news. */
async function findWanted(queries: Queries, id: bigint) {
  const push = await queries
    .selectFrom("pushes")
    .innerJoin("push_devices", "push_devices.id", "pushes.device_id")
    .innerJoin("events", "events.id", "pushes.event_id")
    .innerJoin("push_readers", "push_readers.wallet", "push_devices.wallet")
    .select(["pushes.id", "pushes.created_at", "attempts", "device_id", "event_id", "endpoint", "p256dh", "auth"])
    .select(["topics", "push_readers.language", "show_amounts"])
    .select(["kind", "store_name", "amount_cents", "amount_gwei", "reason"])
    .where("pushes.id", "=", id)
    .whereRef("events.wallet", "=", "push_devices.wallet")
    // Whoever logs out while a device is added.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("sessions")
            .select("token_hash")
            .whereRef("token_hash", "=", "push_devices.session_hash")
            .where("revoked_at", "is not", null),
        ),
      ),
    )
    .executeTakeFirst();
  const isWanted = push?.topics.split(" ").includes(TOPIC_OF[push.kind]);
  return isWanted && push && BigInt(Date.now()) - push.created_at < GIVEN_UP_MS ? push : undefined;
}

async function recordFailure(queries: Queries, { id, attempts }: Push): Promise<void> {
  const retryMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(Number(attempts), 20), LONGEST_RETRY_MS);
  await queries
    .updateTable("pushes")
    .set({ due_at: BigInt(Date.now() + retryMs), attempts: attempts + 1n })
    .where("id", "=", id)
    .execute();
}

async function dropPush(queries: Queries, id: bigint): Promise<void> {
  await queries.deleteFrom("pushes").where("id", "=", id).execute();
}

/** When the oldest message that waits was written; undefined if none waits. docs/product.md#push */
export async function oldestPush(queries: Queries): Promise<bigint | undefined> {
  const oldest = queries.selectFrom("pushes").select("created_at").orderBy("created_at").limit(1);
  return (await oldest.executeTakeFirst())?.created_at;
}
