// Written by `npm run generate` from the compiled contracts. Do not edit.
export const build = {
  "compiler": "0.8.35+commit.47b9dedd",
  "evmVersion": "cancun",
  "viaIR": true,
  "optimizerRuns": 10000,
  "libraries": [
    "@openzeppelin/contracts@5.7.0",
    "solady@0.1.26"
  ],
  "sourceHash": "49aeb368d6c9db8d9c75999ba1209dc3b44afbae757e03867669790e8eba4e4f"
} as const;
