import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { startInProcess } from "../api/support/in-process.ts";
import { skipWithout } from "../testing/skip.ts";

/** Larger than the whole program, so it is a separate package: `npm ci --prefix scripts/developer/openapi-lint` installs it. */
const LINTER = resolve("scripts/developer/openapi-lint/package.json");
type Finding = { code: string | number; message: string; path: (string | number)[] };
type Spectral = { setRuleset(ruleset: object): void; run(document: object): Promise<Finding[]> };

describe("The OpenAPI document @deep", function () {
  this.timeout(300_000);

  it("passes every rule of Spectral's oas set without a warning", async function () {
    if (!existsSync(resolve(LINTER, "../node_modules")))
      skipWithout(this, "Spectral: npm ci --prefix scripts/developer/openapi-lint");
    const find = createRequire(LINTER);
    const { Spectral } = find("@stoplight/spectral-core") as { Spectral: new () => Spectral };
    const { oas } = find("@stoplight/spectral-rulesets") as { oas: object };
    const linter = new Spectral();
    linter.setRuleset({ extends: [[oas, "all"]] });
    const findings = await linter.run(await servedDocument());
    expect(findings.map(({ code, path, message }) => `${code} ${path.join(".")}: ${message}`)).to.deep.equal([]);
  });
});

async function servedDocument(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), "torcida-openapi-"));
  const database = await connect(join(folder, "empty.db"));
  await migrate(database);
  const api = await startInProcess(database);
  try {
    return (await (await fetch(`${api.url}/api/openapi.json`)).json()) as object;
  } finally {
    await api.stop();
    await database.close();
    rmSync(folder, { recursive: true });
  }
}
