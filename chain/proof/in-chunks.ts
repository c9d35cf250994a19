/** The number of concurrent requests that public nodes accept. */
const AT_ONCE = 12;

/**
 * Runs work on all items, a few at a time, and returns the results in order; stops between them when aborted.
 * @throws the first failure
 */
export async function inChunks<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  const runner = async () => {
    for (const [index, item] of remaining) {
      signal?.throwIfAborted();
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, runner));
  return results;
}
