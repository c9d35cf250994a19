/** A block's `logsBloom`. Yellow Paper, 4.4.3: three bits of 2,048 for each address and topic. */
type BloomInput = { address: string; topics: readonly string[] };

const BLOOM_BYTES = 256;

export type Bloom = {
  /** Whether a block with this bloom can contain a log of this address. `false` is certain. */
  mayHold(logsBloom: string, address: string): boolean;
  /** Whether exactly these logs produce this bloom. */
  isOf(logsBloom: string, logs: readonly BloomInput[]): boolean;
};

/** Loaded after the backfill, which does not need it: the hash function takes time to load. */
export async function openBloom(): Promise<Bloom> {
  const { keccak256 } = await import("viem/utils");
  const known = new Map<string, [number, number][]>();

  /** Three pairs: the index of a byte, and a bit in it. */
  const bitsOf = (value: string): [number, number][] => {
    const cached = known.get(value);
    if (cached) return cached;
    const hash = keccak256(`0x${value.slice(2)}`);
    const bits = [0, 1, 2].map((pair): [number, number] => {
      const bit = Number(`0x${hash.slice(2 + pair * 4, 6 + pair * 4)}`) & 2047;
      return [BLOOM_BYTES - 1 - (bit >> 3), bit & 7];
    });
    if (known.size < 1_000) known.set(value, bits);
    return bits;
  };

  return {
    mayHold: (logsBloom, address) =>
      bitsOf(address).every(
        ([byte, bit]) => ((Number(`0x${logsBloom.slice(2 + byte * 2, 4 + byte * 2)}`) >> bit) & 1) === 1,
      ),
    isOf(logsBloom, logs) {
      const bloom = new Uint8Array(BLOOM_BYTES);
      for (const log of logs) {
        for (const value of [log.address.toLowerCase(), ...log.topics]) {
          for (const [byte, bit] of bitsOf(value)) bloom[byte] = (bloom[byte] ?? 0) | (1 << bit);
        }
      }
      return `0x${Buffer.from(bloom).toString("hex")}` === logsBloom;
    },
  };
}
