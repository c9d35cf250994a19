import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Kysely } from "kysely";
import { messageOf } from "../rules/unknown-error.ts";
import type { Schema } from "./generated/schema.ts";
import { writeSetting } from "./settings.ts";
import { databaseErrorCode } from "./transaction.ts";

const EVERY_MS = 10_000;
/** A write that waits for another one's lock says nothing about the disk. */
const WAIT_MS = 1_000;
/** Random, so that it cannot be compressed, and more than a page often has left. */
const BYTES = 4_096;

type Probe = { begunAt: number; running: Promise<void>; problem: string | undefined };
const probes = new WeakMap<Kysely<Schema>, Probe>();

const REASONS: Readonly<Record<string, string>> = {
  "53100": "its disk is full",
  SQLITE_FULL: "its disk is full",
  "25006": "it is read-only",
  SQLITE_READONLY: "it is read-only",
};
/** Somebody else writes. */
const BUSY = /^(?:SQLITE_(?:BUSY|LOCKED)|40001|40P01|55P03)/;

/**
 * Why the database cannot write, found by a write every ten seconds at most; undefined if it can. A full or read-only
 * database still answers every read.
 */
export async function writeProblem(kysely: Kysely<Schema>): Promise<string | undefined> {
  let probe = probes.get(kysely);
  if (!probe || performance.now() - probe.begunAt >= EVERY_MS) {
    const begun: Probe = { begunAt: performance.now(), running: Promise.resolve(), problem: probe?.problem };
    begun.running = writeSetting(kysely, "write_probe", randomBytes(BYTES).toString("base64")).then(
      () => {
        begun.problem = undefined;
      },
      (error: unknown) => {
        const code = databaseErrorCode(error) ?? "";
        if (!BUSY.test(code)) begun.problem = REASONS[code] ?? messageOf(error);
      },
    );
    probes.set(kysely, begun);
    probe = begun;
  }
  const patience = new AbortController();
  await Promise.race([probe.running, delay(WAIT_MS, undefined, { signal: patience.signal }).catch(() => {})]);
  patience.abort();
  return probe.problem;
}
