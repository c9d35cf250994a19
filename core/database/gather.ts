import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum time to wait for more; far less than a commit takes. */
const GATHER_MS = 2;
/** A request needs a few turns of the event loop from its first byte until it asks: session, store, item. */
const TURNS_TO_ARRIVE = 3;

/**
 * Waits as long as every poll of the sockets brings more, so that a burst becomes one query or transaction instead of
 * ten. `count` says how many have arrived.
 */
export async function gather(count: () => number): Promise<void> {
  const until = performance.now() + GATHER_MS;
  for (let known = 0; count() > known && performance.now() < until; ) {
    known = count();
    for (let turn = 0; turn < TURNS_TO_ARRIVE; turn++) await nextTurn();
  }
}
