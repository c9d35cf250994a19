import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const run = promisify(execFile);

describe("npm run cost-model @deep", function () {
  this.timeout(300_000);

  it("measures a purchase's rows in today's schema, and counts with them", async () => {
    const { stdout } = await run(process.execPath, ["scripts/cost-model.ts"]);
    const bytes = Number(/; (\d+) bytes of SQLite a purchase/.exec(stdout)?.[1]);
    expect(bytes).to.be.within(1_000, 20_000);
    const rows = stdout.split("\n").filter((line) => /^\s*1e\+/.test(line));
    const gigabytes = rows.map((row) => Number(row.trim().split(/\s+/)[4]));
    // The bytes are printed as whole numbers.
    expect(gigabytes).to.have.length(3);
    expect(gigabytes[2]).to.be.closeTo(bytes, 1);
  });
});
