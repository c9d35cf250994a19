import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";

const THREAD = JSON.stringify(new URL("../../core/database/sqlite/thread.ts", import.meta.url).href);

describe("A thread that uses SQLite", () => {
  const directory = mkdtempSync(join(tmpdir(), "torcida-thread-"));
  const opened = join(directory, "opened");
  const slow = join(directory, "slow.mjs");
  // As long as it takes to load the package on a busy machine.
  writeFileSync(
    slow,
    `import { writeFileSync } from "node:fs";
    import { reportOpen } from ${THREAD};
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    writeFileSync(${JSON.stringify(opened)}, "");
    reportOpen();
    setInterval(() => {}, 1_000);`,
  );

  beforeEach(() => rmSync(opened, { force: true }));
  after(() => rmSync(directory, { recursive: true }));

  for (const ending of ["process.exit(3)", "throw new Error('three')", "await end(); process.exitCode = 3"]) {
    it(`has opened its file before it is ended by \`${ending}\``, async () => {
      const program = `import { startSqliteThread } from ${THREAD};
        const { worker, end } = startSqliteThread(new URL(${JSON.stringify(pathToFileURL(slow).href)}));
        worker.unref();
        ${ending};`;
      const file = join(directory, "program.mjs");
      writeFileSync(file, program);
      const { code } = await promisify(execFile)(process.execPath, [file]).then(
        () => ({ code: 0 }),
        (error: { code: number }) => error,
      );
      expect(code).to.equal(ending.startsWith("throw") ? 1 : 3);
      expect(existsSync(opened)).to.equal(true);
    });
  }
});
