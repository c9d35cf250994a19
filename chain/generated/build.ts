// Written by `npm run generate` from the compiled contracts. Do not edit.
export const build = {
  "compiler": "0.8.35+commit.47b9dedd",
  "evmVersion": "cancun",
  "viaIR": true,
  "optimizerRuns": {
    "purchaseNft": 500,
    "cashbackDistributor": 1000000
  },
  "libraries": [
    "@openzeppelin/contracts@5.7.0",
    "solady@0.1.26"
  ],
  "sourceHash": "b6df318f4965328f72b7a456d91eb144c2f3c95119266449a359dd1b7b85d58d"
} as const;
