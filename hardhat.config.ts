import { createRequire } from "node:module";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";

const require = createRequire(import.meta.url);

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers],
  solidity: {
    profiles: {
      default: {
        version: "0.8.35",
        // The compiler comes from npm, so that nothing is downloaded at build time.
        path: require.resolve("solc/soljson.js"),
        settings: { evmVersion: "cancun", optimizer: { enabled: true, runs: 10_000 } },
      },
    },
  },
  paths: { sources: "./contracts", tests: { mocha: "./test/contracts", solidity: "./contracts" } },
});
