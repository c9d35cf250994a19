import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Keeps what was used once from piling up: V8 would rather take 150 MB more from the system than look for it, and new
 * memory is also slower than memory that is used again. To be called before anything else.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--max-semi-space-size=4");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--expose-gc");
}

let collect: (() => void) | undefined;

/** Frees what is not used any more, in some milliseconds; without `keepHeapSmall` it does nothing. */
export function collectGarbage(): void {
  collect ??= (runInNewContext("globalThis.gc") as (() => void) | undefined) ?? (() => {});
  collect();
}
