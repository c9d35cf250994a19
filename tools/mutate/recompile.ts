import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, posix } from "node:path";

type Compiler = { compile: (input: string) => string };
type Artifact = { contractName: string; inputSourceName: string; buildInfoId: string; bytecode: string };
type Input = { sources: Record<string, { content: string }>; settings: object };
type Output = {
  errors?: { severity: string }[];
  contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
};

/** A Hardhat artifact, its compiler input, and those of our sources that it consists of. */
type Compiled = { path: string; artifact: Artifact; input: Input; parts: ReadonlySet<string> };

/**
 * Compiles single contracts of a project that Hardhat has compiled before, in a few seconds, and writes their bytecode
 * into Hardhat's artifacts.
 */
export class Recompiler {
  readonly #compiled: Compiled[];
  readonly #compiler: Compiler;

  constructor(project: string) {
    const require = createRequire(import.meta.url);
    this.#compiler = require("solc/wrapper")(require("solc/soljson.js"));
    this.#compiled = globSync("artifacts/contracts/**/*.json", { cwd: project })
      .filter((path) => !path.includes(".t.sol/"))
      .map((path) => readCompiled(project, path))
      .filter((one): one is Compiled => one !== undefined);
  }

  /** Compiles every contract that `file` is part of, with `source` in its place. False where it does not compile. */
  write(file: string, source: string): boolean {
    const contracts = this.#compiled.filter(({ parts }) => parts.has(`project/${file}`));
    const bytecodes = contracts.map((one) => this.#bytecode(one, file, source));
    if (bytecodes.some((one) => one === undefined)) return false;
    contracts.forEach(({ path, artifact }, index) => {
      writeFileSync(path, JSON.stringify({ ...artifact, bytecode: `0x${bytecodes[index]}` }));
    });
    return true;
  }

  #bytecode({ artifact: { inputSourceName, contractName }, input }: Compiled, file: string, source: string) {
    const outputSelection = { [inputSourceName]: { [contractName]: ["evm.bytecode.object"] } };
    const asked = {
      ...input,
      sources: { ...input.sources, [`project/${file}`]: { content: source } },
      settings: { ...input.settings, outputSelection },
    };
    const output: Output = JSON.parse(this.#compiler.compile(JSON.stringify(asked)));
    if (output.errors?.some(({ severity }) => severity === "error")) return undefined;
    return output.contracts?.[inputSourceName]?.[contractName]?.evm.bytecode.object;
  }
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
