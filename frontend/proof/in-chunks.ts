/** The number of concurrent requests that public nodes accept. */
const AT_ONCE = 12;

/** Runs work on all items, a few at a time; stops between them when aborted. @throws the first failure */
export async function inChunks<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items.values();
  const runner = async () => {
    for (const item of remaining) {
      signal.throwIfAborted();
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, runner));
}
