/** The gas of our transactions compared with common implementations of the same work, all measured in this run. */
import hre from "hardhat";

await hre.tasks.getTask("compile").run({ quiet: true });
// Imported late, because these files deploy the contracts that were just compiled.
const { measureBaselines, measureGas } = await import("./gas/scenarios.ts");

const ours = await measureGas();
// Base64 of a ticket's JSON, about as long as without its picture.
const others = await measureBaselines(`data:application/json;base64,${"x".repeat(600)}`);
/** The minimum fee of Chiliz: 2,500 gwei of CHZ per unit of gas. */
const CHZ_PER_GAS = 2_500e-9;

/** Figures of prototypes of the same work: packed calldata, one range event, assembly reads and writes. */
const FLOOR: Record<string, number> = {
  mintBatchNewBuyers: 52_103,
  mintBatchDistinctReturningBuyers: 35_003,
  confirmRun: 7_950,
  payBatchExisting: 15_123,
};

const rows: [string, string, string | undefined][] = [
  ["mint, new buyer", "mintNewBuyer", "bareMintNewBuyer"],
  ["mint, returning buyer", "mintReturningBuyer", "bareMintReturningBuyer"],
  ["mint with the JSON in storage", "mintNewBuyer", "uriStorageMint"],
  ["mintBatch of 50, new buyers, each", "mintBatchNewBuyers", undefined],
  ["mintBatch of 50 distinct returning buyers, each", "mintBatchDistinctReturningBuyers", undefined],
  ["– with sparse ids", "mintBatchDistinctReturningBuyersSparse", undefined],
  ["– one buyer 50 times (friendly)", "mintBatchOneReturningBuyer", undefined],
  ["confirm, one", "confirmOne", undefined],
  ["confirm of 50 in a run, each", "confirmRun", undefined],
  ["confirm of 50 sparse ids, each", "confirmSparse", undefined],
  ["payBatch of 100, existing, against a bare disperse", "payBatchExisting", "disperseExisting"],
  ["payBatch of 100, existing, against naive idempotent", "payBatchExisting", "naiveBatchExisting"],
  ["– with sparse ids, seven to a word of paid bits", "payBatchExistingSparse", "naiveBatchExisting"],
  ["payBatch of 100, new accounts, against a bare disperse", "payBatchNew", "disperseNew"],
  ["payBatch of 100, new accounts, against naive idempotent", "payBatchNew", "naiveBatchNew"],
  ["payBatch of 128 new accounts, whole", "payLargestNew", undefined],
  ["payBatch of 128 distinct contracts that burn their gas, whole", "payLargestHostile", undefined],
  ["strict pay, against naive idempotent", "payStrict", "naiveStrict"],
  ["strict pay, first of its 256 ids", "payStrictFirstOf256", "naiveStrict"],
  ["tokenURI with the art, as a call", "tokenUri", undefined],
  ["– of it, drawing the picture", "ticketArt", undefined],
];

const number = (value: number | undefined) => (value === undefined ? "–" : Math.round(value).toLocaleString("en-US"));
console.log(
  `${"".padEnd(58)}${"ours".padStart(10)}${"CHZ".padStart(9)}${"floor".padStart(10)}${"theirs".padStart(10)}`,
);
for (const [label, our, their] of rows) {
  const gas = ours[our] ?? 0;
  const chz = (gas * CHZ_PER_GAS).toFixed(4);
  console.log(
    `${label.padEnd(58)}${number(gas).padStart(10)}${chz.padStart(9)}${number(FLOOR[our]).padStart(10)}${number(their ? others[their] : undefined).padStart(10)}`,
  );
}
console.log(JSON.stringify({ bench: "gas", ours, others }));
process.exit(0);
