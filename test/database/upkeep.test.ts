import { expect } from "chai";
import { writeSetting } from "../../core/database/settings.ts";
import { clockProblem, oldBackups, readClockOffset } from "../../core/database/upkeep.ts";
import { onEitherEngine } from "../testing/databases.ts";

describe("What a host needs looking after", () => {
  onEitherEngine((engine) => {
    it("names backups and copies that have stopped, and none that never began", async () => {
      const { database } = await engine.open();
      const now = 10 * 3_600_000;
      expect(await oldBackups(database.kysely, now)).to.deep.equal([]);
      await writeSetting(database.kysely, "backed_up_at", String(now - 3 * 3_600_000));
      expect(await oldBackups(database.kysely, now)).to.deep.equal([]);
      await writeSetting(database.kysely, "backed_up_at", String(now - 3 * 3_600_000 - 1));
      await writeSetting(database.kysely, "backup_copied_at", "1");
      expect(await oldBackups(database.kysely, now)).to.deep.equal([
        { name: "backup_old", text: "The last backup is 3 hours old" },
        { name: "backup_copy_old", text: "The last copy of a backup on another machine is 9 hours old" },
      ]);
    });

    it("compares the host's clock with the database's", async () => {
      const { database } = await engine.open();
      expect(Math.abs(await readClockOffset(database.kysely))).to.be.lessThan(1);
    });
  });

  it("tells in words which way a clock is off by more than five seconds", () => {
    expect([clockProblem(5), clockProblem(-5)]).to.deep.equal([undefined, undefined]);
    expect(clockProblem(9)).to.equal("The clock of this host is 9.0 s ahead of the database's");
    expect(clockProblem(-9)).to.equal("The clock of this host is 9.0 s behind the database's");
  });
});
