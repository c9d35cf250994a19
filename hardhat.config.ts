import { createRequire } from "node:module";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";

const require = createRequire(import.meta.url);

/** Drops the compiler's warnings about libraries, which nobody here can act on; those about our own code stay. */
const withoutLibraryWarnings: HardhatPlugin = {
  id: "without-library-warnings",
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        invokeSolc: async (context, compiler, input, compilerConfig, next) => {
          const output = await next(context, compiler, input, compilerConfig);
          // Our own sources are named `project/…` to the compiler, libraries `npm/…`.
          const errors = output.errors?.filter(
            (e) => e.severity === "error" || e.formattedMessage?.includes("project/"),
          );
          return { ...output, errors };
        },
      }),
    }),
  },
};

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers, withoutLibraryWarnings],
  solidity: {
    profiles: {
      default: {
        version: "0.8.35",
        // The compiler comes from npm, so that nothing is downloaded at build time.
        path: require.resolve("solc/soljson.js"),
        settings: { evmVersion: "cancun", viaIR: true, optimizer: { enabled: true, runs: 10_000 } },
      },
    },
  },
  paths: { sources: "./contracts", tests: { mocha: "./test/contracts", solidity: "./contracts" } },
});
