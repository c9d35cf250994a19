import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Keeps the heap small: V8 would otherwise allocate about 150 MB before it collects garbage, and fresh memory is slower
 * than reused memory. Must be called before anything else.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--max-semi-space-size=4");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--expose-gc");
}

let collect: (() => void) | undefined;

/** Runs a garbage collection (a few milliseconds). Does nothing without `keepHeapSmall`. */
export function collectGarbage(): void {
  collect ??= (runInNewContext("globalThis.gc") as (() => void) | undefined) ?? (() => {});
  collect();
}
