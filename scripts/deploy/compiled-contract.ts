import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf } from "../../core/rules/unknown-error.ts";
import { DeployError } from "./deploy-error.ts";

type AbiEntry = { type: string; name?: string };
export type CompiledContract = { abi: AbiEntry[]; bytecode: string; compiler: string; input: CompilerInput };
type CompilerInput = {
  settings: { evmVersion: string; viaIR?: boolean; optimizer: { runs: number } };
  sources: Record<string, { content: string }>;
};
type Artifact = { abi: AbiEntry[]; bytecode: string; buildInfoId: string; inputSourceName: string };
type SourceTree = { ast: { nodes: { nodeType: string; absolutePath?: string }[] } };

const ARTIFACTS = resolve(import.meta.dirname, "../../artifacts");

/**
 * The last compilation of a contract, with its compiler input reduced to the contract's own sources. Other sources of
 * the same compilation are left out; they may be older than the current files.
 * @param path such as `PurchaseNFT.sol/PurchaseNFT`
 * @throws Error that asks to compile first
 */
export function readCompiledContract(path: string): CompiledContract {
  try {
    const { abi, bytecode, buildInfoId, inputSourceName } = readJson<Artifact>(`contracts/${path}.json`);
    const { solcLongVersion, input } = readJson<{ solcLongVersion: string; input: CompilerInput }>(
      `build-info/${buildInfoId}.json`,
    );
    const { output } = readJson<{ output: { sources: Record<string, SourceTree> } }>(
      `build-info/${buildInfoId}.output.json`,
    );
    const sources = Object.fromEntries(
      sourcesOf(inputSourceName, output.sources).map((name) => [name, input.sources[name] ?? { content: "" }]),
    );
    return { abi, bytecode, compiler: solcLongVersion, input: { ...input, sources } };
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new DeployError("The contracts are not compiled here; run `npm run generate` first");
  }
}

/** A source and its imports, ordered by name. */
function sourcesOf(entry: string, trees: Record<string, SourceTree>): string[] {
  const names = new Set([entry]);
  // The set grows during the iteration: each import is visited once.
  for (const name of names) {
    for (const { nodeType, absolutePath } of trees[name]?.ast.nodes ?? []) {
      if (nodeType === "ImportDirective" && absolutePath) names.add(absolutePath);
    }
  }
  return [...names].sort();
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ARTIFACTS, path), "utf8"));
}
