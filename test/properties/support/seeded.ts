import type fc from "fast-check";

/**
 * `PROPERTY_SEED` repeats a run, with `PROPERTY_PATH` one of its tries; `PROPERTY_SECONDS` makes it longer. fast-check's
 * error has seed and path.
 */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const PATH = process.env.PROPERTY_PATH;
const SECONDS = process.env.PROPERTY_SECONDS === undefined ? undefined : Number(process.env.PROPERTY_SECONDS);
const FOREVER = 1_000_000;

/** How often a property is tried: a number of runs, or a number of seconds if that is set. */
export function seeded<T>(numRuns: number): fc.Parameters<T> {
  if (PATH !== undefined) return { seed: SEED, path: PATH, numRuns: 1, endOnFailure: true };
  return SECONDS === undefined
    ? { seed: SEED, numRuns }
    : { seed: SEED, numRuns: FOREVER, interruptAfterTimeLimit: SECONDS * 1_000, markInterruptAsFailure: false };
}

/** The timeout for mocha. */
export const PROPERTY_TIMEOUT_MS = ((SECONDS ?? 0) + 300) * 1_000;
