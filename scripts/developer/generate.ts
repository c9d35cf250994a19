/**
 * Generates `core/chain/` from the compiler's artifacts: the ABIs, typed for viem; and in separate files, to keep them out
 * of browser bundles, the bytecode and its build settings.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type CompiledContract, readCompiledContract } from "../deploy/compiled-contract.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const HEADER = "// Written by `npm run generate` from the compiled contracts. Do not edit.\n";

/** The contracts that the system talks to or deploys: artifact, file name, and the prefix of the exported names. */
const CONTRACTS = [
  { source: "PurchaseNFT.sol/PurchaseNFT", file: "purchase-nft", prefix: "purchaseNft" },
  {
    source: "CashbackDistributor.sol/CashbackDistributor",
    file: "cashback-distributor",
    prefix: "cashbackDistributor",
  },
  { source: "TicketDescriptor.sol/TicketDescriptor", file: "ticket-descriptor", prefix: "ticketDescriptor" },
  { source: "testing/TestFanToken.sol/TestFanToken", file: "test-fan-token", prefix: "testFanToken" },
] as const;

type GeneratedFile = { path: string; content: string };

/** The expected content of the generated files for the current artifacts. */
export function generatedFiles(): GeneratedFile[] {
  const contracts = CONTRACTS.map(({ source }) => readCompiledContract(source));
  const abis = CONTRACTS.map(({ file, prefix }, index) =>
    generated(`${file}.ts`, abiSource(prefix, contracts[index]?.abi ?? [])),
  );
  const bytecodes = CONTRACTS.map(({ file, prefix }, index) =>
    generated(`${file}-bytecode.ts`, `export const ${prefix}Bytecode = "${contracts[index]?.bytecode}";`),
  );
  // Only PurchaseNFT calls the descriptor.
  const called = abis.filter(({ path }) => !path.endsWith("ticket-descriptor.ts"));
  const build = `export const build = ${JSON.stringify(describeBuild(contracts), null, 2)} as const;`;
  return [...called, ...bytecodes, generated("build.ts", build)];
}

/** Each function, event and error as a constant of its own, so that the browser loads only those that it names. */
function abiSource(prefix: string, abi: CompiledContract["abi"]): string {
  const names: string[] = [];
  const items = abi.map((item) => {
    const name = item.name ?? item.type;
    const overloads = names.filter((one) => one.replace(/_\d+$/, "") === name).length;
    names.push(overloads === 0 ? name : `${name}_${overloads + 1}`);
    return `export const ${names.at(-1)} = ${JSON.stringify(item, null, 2)} as const;`;
  });
  return [...items, `export const ${prefix}Abi = [${names.join(", ")}] as const;`].join("\n");
}

/** Compiler, settings, libraries and a hash of every source of the contracts. */
function describeBuild([purchaseNft, cashbackDistributor, ticketDescriptor]: CompiledContract[]) {
  if (!purchaseNft || !cashbackDistributor || !ticketDescriptor) throw new Error("All contracts must be compiled");
  const sources = {
    ...purchaseNft.input.sources,
    ...cashbackDistributor.input.sources,
    ...ticketDescriptor.input.sources,
  };
  const names = Object.keys(sources).sort();
  const hash = createHash("sha256");
  for (const name of names) hash.update(`${name}\0${sources[name]?.content}\0`);
  const { evmVersion, viaIR = false } = purchaseNft.input.settings;
  const libraries = names.map((name) => /^npm\/(.+@[\d.]+)\//.exec(name)?.[1]).filter((name) => name !== undefined);
  return {
    compiler: purchaseNft.compiler,
    evmVersion,
    viaIR,
    optimizerRuns: {
      purchaseNft: purchaseNft.input.settings.optimizer.runs,
      cashbackDistributor: cashbackDistributor.input.settings.optimizer.runs,
      ticketDescriptor: ticketDescriptor.input.settings.optimizer.runs,
    },
    libraries: [...new Set(libraries)],
    sourceHash: hash.digest("hex"),
  };
}

function generated(file: string, content: string): GeneratedFile {
  return { path: resolve(ROOT, "core/chain/generated", file), content: `${HEADER}${content}\n` };
}

if (import.meta.main) {
  for (const { path, content } of generatedFiles()) {
    writeFileSync(path, content);
    console.log(`wrote ${path.slice(ROOT.length + 1)}`);
  }
}
