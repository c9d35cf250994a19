/** A node that refuses even this few blocks has another reason. */
const BLOCKS_MIN = 1_000n;

/**
 * Reads a range of blocks, both ends included, in as many calls as the node requires: nodes limit the blocks and the
 * size of one call, so a range that is refused is halved. Results are in the chain's order.
 */
export async function readInRanges<T>(
  from: bigint,
  to: bigint,
  read: (from: bigint, to: bigint) => Promise<readonly T[]>,
): Promise<T[]> {
  const results: T[] = [];
  const ranges = [{ first: from, last: to }];
  for (let range = ranges.shift(); range; range = ranges.shift()) {
    const { first, last } = range;
    try {
      results.push(...(await read(first, last)));
    } catch (error) {
      if (last - first < BLOCKS_MIN) throw error;
      const middle = (first + last) / 2n;
      ranges.unshift({ first, last: middle }, { first: middle + 1n, last });
    }
  }
  return results;
}
