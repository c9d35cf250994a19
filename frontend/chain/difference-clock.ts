import type { Difference } from "./ticket-differences.ts";

/** How long a difference may last that one being a moment ahead explains. */
export const PASSING_MS = 120_000;

/** Since when each difference is seen: whoever says something wrong cannot be a moment behind for ever. */
export class DifferenceClock {
  readonly #since = new Map<string, number>();

  /** `differs`: those that are no delay, or no longer. `passes`: there are others. */
  judge(found: readonly Difference[], nowMs: number): { differs: readonly Difference[]; passes: boolean } {
    const ids = new Set(found.map(({ id }) => id));
    for (const id of this.#since.keys()) if (!ids.has(id)) this.#since.delete(id);
    for (const id of ids) if (!this.#since.has(id)) this.#since.set(id, nowMs);
    const differs = found.filter(
      ({ id, isPassing }) => !isPassing || nowMs - (this.#since.get(id) ?? nowMs) >= PASSING_MS,
    );
    return { differs, passes: differs.length < found.length };
  }
}
