import { spawnSync } from "node:child_process";
import { expect } from "chai";

/** Prints at the end of the process whether Node's `fetch` was loaded. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => console.log(process.moduleLoadList.some((name) => name.endsWith("undici/undici"))))',
)}`;

describe("HTTP without fetch", () => {
  const isFetchLoaded = (...args: string[]) => {
    // Refused once everything is imported.
    const env = { ...process.env, PORT: "none", INDEXER_PORT: "none" };
    const { stdout } = spawnSync(process.execPath, ["--import", REPORT, ...args], { env, encoding: "utf8" });
    return stdout.trim();
  };

  it("is what every process starts with, although Node's own module would load fetch", () => {
    expect(isFetchLoaded("api/main.ts")).to.equal("false");
    expect(isFetchLoaded("indexer/main.ts")).to.equal("false");
    expect(isFetchLoaded("--input-type=module", "--eval", 'import "node:http"')).to.equal("true");
  });
});
