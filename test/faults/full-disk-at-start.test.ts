import { spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { systemEnvironment } from "../testing/torcida.ts";
import { until } from "../testing/until.ts";
import { copyWebApp } from "../testing/web-app.ts";

describe("A disk that is full at the start @release", function () {
  this.timeout(300_000);

  for (const file of ["logs/deploy.log", "logs/indexer.log"]) {
    it(`is reported in one line if ${file} cannot be written, and nothing is left running (F49)`, async () => {
      const environment = await systemEnvironment();
      const directory = environment.DATA_DIR ?? "";
      mkdirSync(join(directory, "logs"), { recursive: true });
      // Every write to it fails with ENOSPC.
      symlinkSync("/dev/full", join(directory, file));
      copyWebApp(directory);
      const child = spawn(process.execPath, ["scripts/start.ts"], {
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, ...environment },
      });
      try {
        let said = "";
        child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
        await until("it ended", () => child.exitCode !== null, 100_000);
        expect(child.exitCode, said).to.equal(1);
        expect(said.trim().split("\n"), said).to.have.length(1);
        expect(said).to.include(`${join(directory, file)} cannot be written (ENOSPC`);
        await until("the chain is gone", () =>
          fetch(`http://127.0.0.1:${environment.CHAIN_PORT}`).then(
            () => false,
            () => true,
          ),
        );
      } finally {
        // Ends what it started, too.
        if (child.exitCode === null) child.kill("SIGINT");
        rmSync(directory, { recursive: true, force: true });
      }
    });
  }
});
