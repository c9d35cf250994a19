/**
 * `read`, asked at most once in `ms` milliseconds: whoever asks again within them gets the same answer, also while it is on
 * its way.
 */
export function atMostEvery<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let known: { at: number; answer: Promise<T> } | undefined;
  return () => {
    if (!known || performance.now() - known.at >= ms) known = { at: performance.now(), answer: read() };
    return known.answer;
  };
}
