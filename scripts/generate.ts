/**
 * Writes what `chain/` knows of the contracts, from the compiler's artifacts: the ABIs, typed for viem, and in files of
 * their own, so that no browser bundle carries it, the bytecode to deploy.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");

/** The contracts that the system talks to or deploys: artifact, file name, and the prefix of the exported names. */
const CONTRACTS = [
  { source: "PurchaseNFT.sol/PurchaseNFT", file: "purchase-nft", prefix: "purchaseNft" },
  {
    source: "CashbackDistributor.sol/CashbackDistributor",
    file: "cashback-distributor",
    prefix: "cashbackDistributor",
  },
  { source: "testing/TestFanToken.sol/TestFanToken", file: "test-fan-token", prefix: "testFanToken" },
] as const;

const HEADER = "// Written by `npm run generate` from the compiled contracts. Do not edit.\n";

type GeneratedFile = { path: string; content: string };

/** What the generated files should hold, as the compiled artifacts are now. */
export function generatedFiles(): GeneratedFile[] {
  return CONTRACTS.flatMap(({ source, file, prefix }) => {
    const artifactPath = resolve(ROOT, "artifacts/contracts", `${source}.json`);
    const { abi, bytecode } = JSON.parse(readFileSync(artifactPath, "utf8")) as { abi: unknown[]; bytecode: string };
    const directory = resolve(ROOT, "chain/generated");
    return [
      {
        path: resolve(directory, `${file}.ts`),
        content: `${HEADER}export const ${prefix}Abi = ${JSON.stringify(abi, null, 2)} as const;\n`,
      },
      {
        path: resolve(directory, `${file}-bytecode.ts`),
        content: `${HEADER}export const ${prefix}Bytecode = "${bytecode}";\n`,
      },
    ];
  });
}

if (import.meta.main) {
  for (const { path, content } of generatedFiles()) {
    writeFileSync(path, content);
    console.log(`wrote ${path.slice(ROOT.length + 1)}`);
  }
}
