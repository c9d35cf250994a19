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
  "sourceHash": "9e3432069ff1c9e082b268d7fd6aca0e778222fe6a40a43a6d8ee2c83a390229"
} as const;
