import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { ensureDataDirectory } from "../../core/database/private-files.ts";

describe("File permissions of the data", () => {
  let directory: string;
  const umask = process.umask(0o022);
  beforeEach(() => {
    process.umask(0o022);
    directory = mkdtempSync(join(tmpdir(), "torcida-private-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  after(() => process.umask(umask));

  const modeOf = (...path: string[]) => (statSync(join(directory, ...path)).mode & 0o777).toString(8);

  it("allow only this user in a new database, its log and its folder", async () => {
    const database = await connect(join(directory, "new/torcida.db"));
    await migrate(database);
    const modes = ["", "torcida.db", "torcida.db-wal", "torcida.db-shm"].map((name) => modeOf("new", name));
    await database.close();
    expect(modes).to.deep.equal(["700", "600", "600", "600"]);
  });

  it("are removed from other users who have them", async () => {
    for (const name of ["torcida.db", "torcida.db-wal", "torcida.db-shm"]) writeFileSync(join(directory, name), "");
    const database = await connect(join(directory, "torcida.db"));
    await migrate(database);
    const modes = ["torcida.db", "torcida.db-wal", "torcida.db-shm"].map((name) => modeOf(name));
    await database.close();
    expect(modes).to.deep.equal(["600", "600", "600"]);
    chmodSync(directory, 0o755);
    ensureDataDirectory(directory);
    expect(modeOf()).to.equal("700");
  });

  it("stay unchanged in a folder that others must traverse", () => {
    for (const [name, mode] of [["shared", 0o1777]] as const) {
      mkdirSync(join(directory, name));
      chmodSync(join(directory, name), mode);
      ensureDataDirectory(join(directory, name));
      expect(modeOf(name)).to.equal((mode & 0o777).toString(8));
    }
    const before = statSync(process.cwd()).mode;
    ensureDataDirectory(process.cwd());
    expect(statSync(process.cwd()).mode).to.equal(before);
  });
});
