import { setTimeout as delay } from "node:timers/promises";
import type { Queries } from "../../core/database/transaction.ts";
import type { Caller } from "../api/support/caller.ts";

/** Asks for one's erasure, and waits until its day has come by moving it back. */
export async function eraseNow(caller: Caller, queries: Queries): Promise<void> {
  const asked = await caller.askErasure();
  if (asked.status !== 202) throw new Error(asked.text);
  await dueProposals(queries, 72);
  for (let tries = 0; tries < 120; tries++) {
    const { body } = await caller.post("/api/check-user", { address: caller.address });
    if (!body.exists) return;
    await delay(250);
  }
  throw new Error("The profile was not erased");
}

const HOUR_MS = 3_600_000;

/** Moves the day of all that waits for one back, as if so many hours had passed. */
export async function dueProposals(queries: Queries, hours: number): Promise<void> {
  await queries
    .updateTable("proposals")
    .set((set) => ({ due_at: set("due_at", "-", BigInt(Math.round(hours * HOUR_MS))) }))
    .where("due_at", "is not", null)
    .execute();
}
