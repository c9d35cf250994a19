/** Of one purchase, as docs/capacity.md has them measured. */
const GAS_ALONE = 152_220;
const GAS_IN_BATCHES = 59_211;
const LOWEST_FEE_GWEI = 2_500;
const DATABASE_BYTES = { sqlite: 2_460, postgres: 3_980 } as const;
const LOG_BYTES = 1_700;
const DAYS = 365;

/** What a year costs at so many purchases a day: CHZ of gas, and bytes. docs/capacity.md */
export function yearAt(
  purchasesADay: number,
  engine: keyof typeof DATABASE_BYTES,
): { chzAlone: number; chzInBatches: number; databaseBytes: number; logBytes: number } {
  const purchases = purchasesADay * DAYS;
  const chz = (gas: number) => (purchases * gas * LOWEST_FEE_GWEI) / 1e9;
  return {
    chzAlone: chz(GAS_ALONE),
    chzInBatches: chz(GAS_IN_BATCHES),
    databaseBytes: purchases * DATABASE_BYTES[engine],
    logBytes: purchases * LOG_BYTES,
  };
}
