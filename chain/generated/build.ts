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
  "sourceHash": "c47c97e1ea3b183922dd04772efeeae6bb6919697b2ab7c965fb069ee2930731"
} as const;
