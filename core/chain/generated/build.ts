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
  "sourceHash": "71ec0c22e02c9b839a7c1e43afe8a9e586ff59e3b80cbc975594135cad20431b"
} as const;
