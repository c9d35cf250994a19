import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, posix } from "node:path";

type Compiler = { compile: (input: string) => string };
type Artifact = { contractName: string; inputSourceName: string; buildInfoId: string; bytecode: string };
type Input = { sources: Record<string, { content: string }>; settings: { outputSelection?: unknown } };
type Output = {
  errors?: { severity: string }[];
  contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
};

/** A Hardhat artifact, its compiler input, and those of our sources that it consists of. */
type Compiled = { path: string; artifact: Artifact; input: Input; parts: ReadonlySet<string> };

/**
 * Compiles single contracts of a project that Hardhat has compiled before, in a second or two, and writes their bytecode
 * into Hardhat's artifacts. The compiler stays loaded.
 */
export class Recompiler {
  readonly #compiled: Compiled[];
  readonly #compiler: Compiler;

  /** `isUsed` returns whether tests deploy the contract with this name. */
  constructor(project: string, isUsed: (contractName: string) => boolean) {
    const require = createRequire(import.meta.url);
    this.#compiler = require("solc/wrapper")(require("solc/soljson.js"));
    this.#compiled = globSync("artifacts/{contracts,test}/**/*.json", { cwd: project })
      .filter((path) => isUsed(basename(path, ".json")))
      .map((path) => readCompiled(project, path))
      .filter((one): one is Compiled => one !== undefined);
  }

  /**
   * Compiles every contract that `file` is part of, with `source` in its place. Returns false if one does not compile.
   */
  write(file: string, source: string): boolean {
    const contracts = this.#compiled.filter(({ parts }) => parts.has(`project/${file}`));
    const groups = Object.values(Object.groupBy(contracts, ({ input }) => settingsOf(input)));
    const outputs = groups.map((group = []) => ({ group, output: this.#compile(group, file, source) }));
    if (outputs.some(({ output }) => output.errors?.some(({ severity }) => severity === "error"))) return false;
    for (const { group, output } of outputs) {
      for (const { path, artifact } of group) {
        const bytecode = output.contracts?.[artifact.inputSourceName]?.[artifact.contractName]?.evm.bytecode.object;
        writeFileSync(path, JSON.stringify({ ...artifact, bytecode: `0x${bytecode}` }));
      }
    }
    return true;
  }

  /** Compiles contracts that share their settings. */
  #compile(group: readonly Compiled[], file: string, content: string): Output {
    const outputSelection: Record<string, Record<string, string[]>> = {};
    for (const { artifact } of group) {
      const { inputSourceName: source, contractName } = artifact;
      outputSelection[source] = { ...outputSelection[source], [contractName]: ["evm.bytecode.object"] };
    }
    const parts = new Set(group.flatMap((one) => [...one.parts]));
    const sources = Object.assign({}, ...group.map(({ input }) => input.sources));
    for (const name of Object.keys(sources)) {
      if (name.startsWith("project/") && !parts.has(name)) delete sources[name];
    }
    sources[`project/${file}`] = { content };
    const [input] = group.map((one) => one.input);
    return JSON.parse(
      this.#compiler.compile(JSON.stringify({ ...input, sources, settings: { ...input?.settings, outputSelection } })),
    );
  }
}

function settingsOf({ settings }: Input): string {
  return JSON.stringify({ ...settings, outputSelection: undefined });
}

function readCompiled(project: string, file: string): Compiled | undefined {
  const path = join(project, file);
  const artifact: Artifact = JSON.parse(readFileSync(path, "utf8"));
  const buildInfo = join(project, "artifacts/build-info", `${artifact.buildInfoId}.json`);
  if (artifact.bytecode === "0x" || !existsSync(buildInfo)) return undefined;
  const input: Input = JSON.parse(readFileSync(buildInfo, "utf8")).input;
  return { path, artifact, input, parts: partsOf(artifact.inputSourceName, input.sources) };
}

/** A source and all of our sources that it imports, directly or indirectly. */
function partsOf(name: string, sources: Input["sources"], found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, path = ""] of sources[name]?.content.matchAll(/from "(\.[^"]+)"/g) ?? []) {
    partsOf(posix.join(posix.dirname(name), path), sources, found);
  }
  return found;
}
