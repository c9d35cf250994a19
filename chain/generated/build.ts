// Written by `npm run generate` from the compiled contracts. Do not edit.
export const build = {
  "compiler": "0.8.35+commit.47b9dedd",
  "evmVersion": "cancun",
  "viaIR": true,
  "optimizerRuns": {
    "purchaseNft": 5000,
    "cashbackDistributor": 1000000,
    "ticketDescriptor": 1
  },
  "libraries": [
    "@openzeppelin/contracts@5.7.0",
    "solady@0.1.26"
  ],
  "sourceHash": "5414ac4bf7d4b6e9b3b27dabb4b4a22acba0e501212fea9ac1c9c1cd79765190"
} as const;
