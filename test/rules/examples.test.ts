import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect } from "chai";

const ROOT = join(import.meta.dirname, "../..");
/** An `@example` reaches to the end of its comment, or to the next tag. */
const EXAMPLE = /^ \* @example\n((?: \*(?! @|\/).*\n)+)/gm;
/** An expression, over one line or several, and the value that it has. */
const STATEMENT = /(.+?) \/\/ (.+?)\n/gs;

const files = globSync("core/rules/**/*.ts", { cwd: ROOT });

describe("The examples in the docstrings of domain/", () => {
  let count = 0;
  for (const file of files) {
    for (const { expression, value } of examplesOf(readFileSync(join(ROOT, file), "utf8"))) {
      count += 1;
      it(`${basename(file)}: ${expression.replace(/\s+/g, " ")}`, async () => {
        const scope = { ...(await import(join(ROOT, file))) };
        const [actual, said] = runInNewContext(`[(${expression}), (${value})]`, scope);
        expect(plain(actual)).to.deep.equal(plain(said));
      });
    }
  }

  it("are found", () => {
    expect(count).to.be.greaterThan(15);
  });
});

function examplesOf(source: string): { expression: string; value: string }[] {
  return [...source.matchAll(EXAMPLE)].flatMap(([, block = ""]) => {
    const lines = block.split("\n").map((line) => line.slice(3));
    const code = lines.filter((line) => !line.startsWith("//")).join("\n");
    return [...code.matchAll(STATEMENT)].map(([, expression = "", value = ""]) => ({ expression, value }));
  });
}

/** Values of another context are not instances of this one's classes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_name, part) => (typeof part === "bigint" ? `${part}n` : part)));
}
