/** The fields of a stored word, as contracts/libraries/PackedPurchase.sol lays them out; a burnt one has no buyer. */
export function unpackPurchase(record: bigint) {
  const field = (offset: number, bits: number) => (record >> BigInt(offset)) & ((1n << BigInt(bits)) - 1n);
  return {
    buyer: `0x${field(0, 160).toString(16).padStart(40, "0")}` as const,
    valueCents: field(160, 40),
    cashbackBps: field(200, 16),
    bonusBps: field(216, 16),
    storeId: field(232, 16),
    status: field(248, 7),
    isBurnt: field(255, 1) === 1n,
  };
}
