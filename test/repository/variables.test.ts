import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

const SOURCES = globSync(
  ["{api,contracts,core,frontend,indexer}/**/*.{ts,tsx}"].concat([
    "scripts/**/*.ts",
    "vite.config.ts",
    "hardhat.config.ts",
  ]),
  { exclude: ["**/node_modules/**"] },
);
/** Variables set by a shell or a tool, and those our own processes pass to each other. */
const NOT_SET_BY_PEOPLE = [
  "PATH",
  "HOME",
  "NODE_ENV",
  "PROD",
  "DEV",
  "SSR",
  "TORCIDA_PROCESS",
  "TORCIDA_MAXIMUM_AGE",
  "TEST_DATABASE_URL",
  "REHEARSAL_RUN",
  "REHEARSAL_POSTGRES",
  "QUICK_COMPILE",
  "FUZZ_SEED",
];

const READ = /\b(?:process\.env|import\.meta\.env|source|env)\.([A-Z][A-Z0-9_]{2,})\b/g;
/** An entry of a table of variables: `  PORT: port(3000),`. */
const DECLARED = /^ {2}([A-Z][A-Z0-9_]{2,}):/gm;
const example = readFileSync(".env.example", "utf8");
/** Those of the tests are read by the tests. */
const ofProgram = example.split("── Tests ──")[0] ?? "";
/** Not the decisions, which say why and not how. */
const guides = globSync(["README.md", "docs/**/*.md"], { exclude: ["docs/decisions/**"] })
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

describe("The variables", () => {
  const names = new Set<string>();
  for (const file of SOURCES) {
    const text = readFileSync(file, "utf8");
    const found = [...text.matchAll(READ), ...(/VARIABLES\b.*= \{/.test(text) ? text.matchAll(DECLARED) : [])];
    for (const [, name = ""] of found) names.add(name);
  }
  for (const name of NOT_SET_BY_PEOPLE) names.delete(name);

  it("that the code reads are all in .env.example", () => {
    expect(names.size).to.be.greaterThan(70);
    expect([...names].filter((name) => !new RegExp(`(?:^#| ) *${name}=`, "m").test(example))).to.deep.equal([]);
  });

  it("that .env.example names are all read", () => {
    const named = [...ofProgram.matchAll(/(?:^# {0,3}| {2,})([A-Z][A-Z0-9_]{2,})=/gm)].map(([, name = ""]) => name);
    const known = [...names, ...SOURCES.map((file) => readFileSync(file, "utf8"))].join("\n");
    expect(named.filter((name) => !known.includes(name) && !readsByPrefix(name))).to.deep.equal([]);
  });

  it("that change a test run are all in docs/testing.md", () => {
    const page = readFileSync("docs/testing.md", "utf8");
    const read = globSync("test/**/*.ts").flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(
        /process\.env\.([A-Z_]*(?:SEED|SECONDS|UPDATE|UPGRADE|TEST_DATABASE|CHROMIUM)[A-Z_]*)/g,
      ),
    ]);
    expect(read).to.have.length.greaterThan(10);
    expect(read.map(([, name = ""]) => name).filter((name) => !page.includes(`\`${name}`))).to.deep.equal([]);
  });

  it("that the code reads stand each in a guide, and in a test", () => {
    const tests = globSync("test/**/*.{ts,tsx}").map((file) => readFileSync(file, "utf8"));
    const words = (text: string) => new Set(text.match(/\b[A-Z][A-Z0-9_]{2,}\b/g));
    const [told, tested] = [words(guides), words(tests.join("\n"))];
    expect(
      [...names].filter((name) => !told.has(name)),
      "in no guide",
    ).to.deep.equal([]);
    expect(
      [...names].filter((name) => !tested.has(name)),
      "in no test",
    ).to.deep.equal([]);
  });
});

/** `MINTER_KEY_FILE` is read as `${prefix}_KEY_FILE`. */
function readsByPrefix(name: string): boolean {
  return /^(?:OPERATOR|MINTER|CONFIRMER|PAYER)_(?:PRIVATE_KEY|KEY_FILE|SIGNER_URL|ADDRESS)$/.test(name);
}
