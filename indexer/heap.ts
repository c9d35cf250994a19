import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Memory for young objects. With V8's initial 2 MB they are collected six times as often, and each collection copies
 * what is still in use; with its usual 32 MB, responses are freed so late that the process needs 100 MB more.
 */
const YOUNG_BYTES = 16 * 2 ** 20;

let isYoungSpaceLargeEnough = false;

/** Keeps the heap as small as V8 starts it, until `growYoungSpace`. Must be called before anything else. */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--expose-gc");
}

/** Lets the memory for young objects grow to `YOUNG_BYTES`: at run time V8 accepts a growth factor, but no limit. */
export function growYoungSpace(): void {
  if (isYoungSpaceLargeEnough) return;
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  isYoungSpaceLargeEnough = (young?.space_size ?? 0) >= YOUNG_BYTES;
  setFlagsFromString(`--semi-space-growth-factor=${isYoungSpaceLargeEnough ? 1 : 2}`);
}

let collect: (() => void) | undefined;

/** Runs a garbage collection (a few milliseconds). Does nothing without `keepHeapSmall`. */
export function collectGarbage(): void {
  collect ??= runInNewContext("globalThis.gc") ?? (() => {});
  collect?.();
}
