import { createRequire } from "node:module";
import hardhatEthers from "@nomicfoundation/hardhat-ethers";
import hardhatEthersChaiMatchers from "@nomicfoundation/hardhat-ethers-chai-matchers";
import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import hardhatNetworkHelpers from "@nomicfoundation/hardhat-network-helpers";
import hardhatVerify from "@nomicfoundation/hardhat-verify";
import { defineConfig } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";

// The compiler comes from npm, so that nothing is downloaded at build time.
const SOLC_PATH = createRequire(import.meta.url).resolve("solc/soljson.js");

const isCoverage = process.argv.includes("--coverage");
// For coverage and for mutants all is compiled quickly and at once: what it costs says nothing then.
const isForMutants = process.env.QUICK_COMPILE !== undefined;
const isQuick = isCoverage || isForMutants;

const solc = (runs: number, viaIR = true) => ({
  version: "0.8.35",
  path: SOLC_PATH,
  settings: { evmVersion: "cancun", viaIR, optimizer: { enabled: !isForMutants, runs } },
});

/** What is deployed or has its gas measured. Each of them is compiled alone, the rest quickly and all at once. */
const AS_DEPLOYED = {
  "contracts/CashbackDistributor.sol": solc(1_000_000),
  // More would not fit into 24,576 bytes with the tables of characters.
  "contracts/PurchaseNFT.sol": solc(5_000),
  // Nobody pays for a drawing: small code is worth more than quick code.
  "contracts/TicketDescriptor.sol": solc(1),
  "contracts/testing/GasBaselines.sol": solc(1_000_000),
  "contracts/testing/TestFanToken.sol": solc(1_000_000),
  // Assembly is fuzzed as the optimizer that is used leaves it.
  "contracts/libraries/TicketSlot.t.sol": solc(5_000),
};

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

/**
 * In every test run a few, with the same seed each time, so that more would find nothing new; `npm run fuzz` asks for
 * more, with another seed each time. A mutant has to survive more too.
 */
const LENGTHS = {
  test: { runs: 8, depth: 96, propertyRuns: 128 },
  mutate: { runs: 16, depth: 96, propertyRuns: 512 },
  fuzz: { runs: 32, depth: 256, propertyRuns: 512 },
};
const { propertyRuns, ...invariant } =
  LENGTHS[process.env.FUZZ_SEED !== undefined ? "fuzz" : isForMutants ? "mutate" : "test"];

export default defineConfig({
  plugins: [
    hardhatEthers,
    hardhatEthersChaiMatchers,
    hardhatMocha,
    hardhatNetworkHelpers,
    hardhatVerify,
    withoutLibraryWarnings,
  ],
  solidity: {
    profiles: { default: { compilers: [solc(200, false)], overrides: isQuick ? {} : AS_DEPLOYED } },
    // Tests in TypeScript do not wait for those in Solidity to be compiled.
    splitTestsCompilation: true,
  },
  networks: { default: { type: "edr-simulated", hardfork: "cancun", allowUnlimitedContractSize: isQuick } },
  test: {
    mocha: { timeout: 120_000 },
    solidity: {
      fuzz: { runs: propertyRuns, seed: process.env.FUZZ_SEED ?? "0x7071c1da" },
      invariant: { ...invariant, failOnRevert: true },
    },
  },
  paths: {
    // Kept apart, so that a run with coverage does not have everything compiled again after it.
    ...(isCoverage && { cache: "./coverage/cache", artifacts: "./coverage/artifacts" }),
    sources: "./contracts",
    // Tests in Solidity lie beside what they test, as `.t.sol`: whatever is in a folder of tests is compiled once more.
    tests: { mocha: "./test/contracts", solidity: "./test/contracts" },
  },
});
