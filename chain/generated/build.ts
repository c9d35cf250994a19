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
  "sourceHash": "83aa3f31c4253b149f89795761052d5268156ed12d612b37efe4cbf5b385bee4"
} as const;
