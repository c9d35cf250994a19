import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { connect } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";

const WALLET = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const STAFF = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";

describe("The folder of npm run review", function () {
  this.timeout(60_000);
  const directory = mkdtempSync(join(tmpdir(), "torcida-review-"));
  after(() => rmSync(directory, { recursive: true, force: true }));

  it("holds no value of a person, and names the columns that only a newer version knows", async () => {
    const database = await connect(join(directory, "data", "torcida.db"));
    await migrate(database);
    await sql`insert into users (wallet, email, first_name, last_name, created_at)
      values (${WALLET}, 'ana@example.com', 'Anabela', 'Figueiredo', 1)`.execute(database.kysely);
    await sql`alter table users add column shoe_size integer`.execute(database.kysely);
    await database.close();
    const to = join(directory, "folder");
    const { status, stderr } = spawnSync(process.execPath, ["scripts/review.ts", "--to", to], {
      encoding: "utf8",
      env: { ...process.env, DATA_DIR: join(directory, "data"), DATABASE_URL: "", ADMIN_WALLETS: `${STAFF}:support` },
    });
    expect(status, stderr).to.equal(0);
    const folder = readdirSync(to).map((name) => readFileSync(join(to, name), "utf8"));
    expect(folder).to.have.length(7);
    for (const value of [WALLET, STAFF, "ana@example.com", "Anabela", "Figueiredo"])
      expect(folder.join("\n").toLowerCase()).not.to.include(value.toLowerCase());
    expect(folder.join("\n")).to.include("| `ADMIN_WALLETS` | 0x…:support");
    expect(folder.join("\n")).to.include("of which data.md says nothing: users.shoe_size.");
  });
});
