/** The number of concurrent requests that public nodes accept. */
const AT_ONCE = 12;

/** Runs work on all items, a few at a time; stops between them when aborted. @throws the first failure */
export async function inChunks<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runner = async () => {
    while (next < items.length) {
      signal.throwIfAborted();
      const item = items[next++] as T;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, runner));
}
