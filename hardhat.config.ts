import { createRequire } from "node:module";
import hardhatToolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";

// The compiler comes from npm, so that nothing is downloaded at build time.
const SOLC_PATH = createRequire(import.meta.url).resolve("solc/soljson.js");

const isCoverage = process.argv.includes("--coverage");
// For coverage and mutants, everything is compiled with the fast settings in one go: gas does not matter there.
const isForMutants = process.env.QUICK_COMPILE !== undefined;
const isQuick = isCoverage || isForMutants;

const solc = (settings: object) => ({
  version: "0.8.35",
  path: SOLC_PATH,
  settings: { evmVersion: "cancun", ...settings },
});
const asDeployed = (runs: number) => solc({ viaIR: true, optimizer: { enabled: true, runs } });
/** Optimizing would take longer than it saves when the tests run. */
const QUICKLY = solc({ viaIR: false, optimizer: { enabled: false } });

/**
 * Contracts that are deployed or whose gas is measured. Each is compiled separately, all others together with fast
 * settings.
 */
const AS_DEPLOYED = {
  "contracts/CashbackDistributor.sol": asDeployed(1_000_000),
  // The code may have 24,576 bytes, and more runs make it longer without making a call cheaper.
  "contracts/PurchaseNFT.sol": asDeployed(2_000),
  // Drawing is never part of a transaction, so small code matters more than cheap execution.
  "contracts/TicketDescriptor.sol": asDeployed(1),
  "test/contracts/mocks/GasBaselines.sol": asDeployed(1_000_000),
  // It tries millions of calls.
  "test/contracts/mocks/Explorer.sol": solc({ viaIR: false, optimizer: { enabled: true, runs: 10_000 } }),
  "test/contracts/mocks/TicketPainter.sol": solc({ viaIR: false, optimizer: { enabled: true, runs: 200 } }),
  "contracts/testing/TestFanToken.sol": asDeployed(1_000_000),
  // Assembly is fuzzed with the optimizer settings of the deployed contract.
  "test/contracts/fuzz/TicketSlot.t.sol": asDeployed(2_000),
};

/** Drops the compiler's warnings about libraries, which we cannot fix; those about our own code stay. */
const withoutLibraryWarnings: HardhatPlugin = {
  id: "without-library-warnings",
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        invokeSolc: async (context, compiler, input, compilerConfig, next) => {
          const output = await next(context, compiler, input, compilerConfig);
          // The compiler knows our own sources as `project/…`, libraries as `npm/…`.
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
 * A test run makes few runs, because its seed is fixed and more would find nothing new. `npm run fuzz` makes more, with
 * a new seed each time; a mutant has to survive more, too.
 */
const LENGTHS = {
  test: { runs: 8, depth: 96, propertyRuns: 128 },
  mutate: { runs: 16, depth: 96, propertyRuns: 512 },
  fuzz: { runs: 32, depth: 256, propertyRuns: 512 },
};
const { propertyRuns, ...invariant } =
  LENGTHS[process.env.FUZZ_SEED !== undefined ? "fuzz" : isForMutants ? "mutate" : "test"];

export default defineConfig({
  plugins: [hardhatToolbox, withoutLibraryWarnings],
  solidity: {
    profiles: { default: { compilers: [QUICKLY], overrides: isQuick ? {} : AS_DEPLOYED } },
    // Tests in TypeScript do not wait for the compilation of tests in Solidity.
    splitTestsCompilation: true,
  },
  // The tests are checked before anything is compiled.
  typechain: { dontOverrideCompile: true },
  networks: { default: { type: "edr-simulated", hardfork: "cancun", allowUnlimitedContractSize: isQuick } },
  test: {
    mocha: { timeout: 120_000 },
    solidity: {
      fuzz: { runs: propertyRuns, seed: process.env.FUZZ_SEED ?? "0x7071c1da" },
      invariant: { ...invariant, failOnRevert: true },
    },
  },
  paths: {
    // Separate folders, so that a run with coverage does not force a full recompilation afterwards.
    ...(isCoverage && { cache: "./coverage/cache", artifacts: "./coverage/artifacts" }),
    // The contracts that tests in TypeScript deploy are sources. In the folder of the tests in Solidity they would be
    // compiled twice.
    sources: ["./contracts", "./test/contracts/mocks"],
    tests: { mocha: "./test/contracts", solidity: "./test/contracts/fuzz" },
  },
});
