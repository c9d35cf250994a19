import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Keeps the heap small: V8 would otherwise allocate some 150 MB before it collects garbage, and new memory is slower than
 * reused memory. Must be called before anything else.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--max-semi-space-size=4");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--expose-gc");
}

let collect: (() => void) | undefined;

/** Collects garbage, within some milliseconds; does nothing without `keepHeapSmall`. */
export function collectGarbage(): void {
  collect ??= (runInNewContext("globalThis.gc") as (() => void) | undefined) ?? (() => {});
  collect();
}
