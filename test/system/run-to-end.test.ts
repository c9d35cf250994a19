import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { isAlive } from "../testing/is-alive.ts";
import { until } from "../testing/until.ts";

describe("A command that a start waits for", () => {
  it("ends with the process that runs it, even if that gives up in the middle", async () => {
    const folder = mkdtempSync(join(tmpdir(), "torcida-run-"));
    const pidFile = join(folder, "pid");
    const sleeper = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`;
    const parent = `
      import { existsSync } from "node:fs";
      import { runToEnd } from "./scripts/start/run-to-end.ts";
      runToEnd(process.execPath, ["-e", ${JSON.stringify(sleeper)}], ${JSON.stringify(join(folder, "log"))});
      setInterval(() => existsSync(${JSON.stringify(pidFile)}) && process.exit(1), 20);`;
    try {
      const child = spawn(process.execPath, ["--input-type=module", "-e", parent], { stdio: "ignore" });
      await until("it gave up", () => child.exitCode === 1);
      const pid = Number(readFileSync(pidFile, "utf8"));
      await until("what it ran is gone", () => !isAlive(pid));
      expect(isAlive(pid)).to.equal(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
