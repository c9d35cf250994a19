import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { beginAnew } from "../../scripts/start/local-chain.ts";

describe("A chain in memory, where there is no anvil", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "torcida-start-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const put = (...names: string[]) => {
    for (const name of names) writeFileSync(join(folder, name), "x");
  };
  const has = (name: string) => existsSync(join(folder, name));

  it("starts with an empty database each time, and says so in one line", () => {
    expect(beginAnew(folder, undefined)).to.match(/^! No anvil .* is recreated on each start, the database with it$/);
    put("torcida.db", "torcida.db-wal", "torcida.db-shm", "kept.txt");
    expect(beginAnew(folder, undefined)).to.match(/^! No anvil .* left in the database is gone$/);
    expect(["torcida.db", "torcida.db-wal", "torcida.db-shm", "kept.txt"].filter(has)).to.deep.equal(["kept.txt"]);
  });

  it("deletes neither a configured database nor one that belongs to an anvil chain", () => {
    put("torcida.db");
    expect(() => beginAnew(folder, "postgres://shop")).to.throw(/DATABASE_URL; unset it, or install Foundry/);
    put("chain-state.json");
    expect(() => beginAnew(folder, undefined)).to.throw(/set DATA_DIR to another folder, or install Foundry/);
    expect(has("torcida.db")).to.equal(true);
  });
});
