// Written by `npm run generate` from the compiled contracts. Do not edit.
export const build = {
  "compiler": "0.8.35+commit.47b9dedd",
  "evmVersion": "cancun",
  "viaIR": true,
  "optimizerRuns": {
    "purchaseNft": 2000,
    "cashbackDistributor": 1000000,
    "ticketDescriptor": 1
  },
  "libraries": [
    "@openzeppelin/contracts@5.7.0",
    "solady@0.1.26"
  ],
  "sourceHash": "cd2d141ac810535af02346011ca80151f30fe4b3f95a3e6d62cdf834d0b933d9"
} as const;
