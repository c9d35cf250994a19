import { expect } from "chai";
import {
  backedUpAt,
  backupFaults,
  drillAge,
  readBackupRuns,
  recordBackupRun,
  recordDrill,
  walArchivedAt,
} from "../../core/database/backup-runs.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { onEitherEngine } from "../testing/databases.ts";

const GIB = 2 ** 30;
const NOW = 100 * DAY_MS;
const GOOD = { ok: true, archive_at: "2026-11-29T10:00:00.000Z", seconds: 9, rows: 5, differences: 0 };

describe("What is known of backups", () => {
  onEitherEngine((engine) => {
    it("is nothing before the first, and then how long it will take and whether it fits", async () => {
      const { kysely } = (await engine.open()).database;
      expect(await backupFaults(kysely, NOW)).to.deep.equal([]);
      expect([await drillAge(kysely), await backedUpAt(kysely, "backed_up_at")]).to.deep.equal([undefined, undefined]);
      const run = { bytes: GIB, freeBytes: 1_000 * GIB, kept: 48 };
      await recordBackupRun(kysely, { ...run, at: NOW - 30 * DAY_MS, seconds: 300, rows: 1_000_000 });
      await recordBackupRun(kysely, { ...run, at: NOW, seconds: 400, rows: 1_000_000 });
      expect(await readBackupRuns(kysely)).to.have.length(2);
      expect(await backupFaults(kysely, NOW)).to.deep.equal([]);
      await recordBackupRun(kysely, { ...run, freeBytes: GIB, at: NOW, seconds: 400, rows: 2_000_000 });
      const told = await backupFaults(kysely, NOW);
      expect(told.map(({ text }) => text)).to.deep.equal([
        "A backup will take 25 min in 90 days",
        "Backups of 2.5 GiB each, in 90 days, do not fit on the disk of their folder",
      ]);
    });

    it("is since when no copy was tried, which a copy that differs does not change", async () => {
      const { kysely } = (await engine.open()).database;
      const run = { bytes: 1, freeBytes: GIB, kept: 1, seconds: 1, rows: 1 };
      await recordBackupRun(kysely, { ...run, at: NOW - 41 * DAY_MS });
      const names = async () => (await backupFaults(kysely, NOW)).map(({ name, text }) => `${name}: ${text}`);
      expect(await names()).to.deep.equal(["drill_old: No copy was test-restored for 41 days"]);
      await recordDrill(kysely, GOOD, NOW - DAY_MS);
      expect(await names()).to.deep.equal([]);
      await recordDrill(kysely, { ...GOOD, ok: false, differences: 2 }, NOW);
      expect(await drillAge(kysely, NOW)).to.equal(DAY_MS / 1_000);
      expect(await names()).to.deep.equal([
        `drill_differs: The copy of ${GOOD.archive_at} was restored, and differs from the chain 2 times`,
      ]);
    });

    it("is not lost by what nobody can read, and not of a server that archives nothing", async () => {
      const { kysely } = (await engine.open()).database;
      await writeSetting(kysely, "backup_runs", '[{"at":"yesterday"}]');
      await writeSetting(kysely, "drilled", "{");
      expect(await backupFaults(kysely, NOW)).to.deep.equal([]);
      await writeSetting(kysely, "backed_up_at", "5");
      expect([await walArchivedAt(kysely), await backedUpAt(kysely, "backed_up_at")]).to.deep.equal([undefined, 5]);
    });
  });
});
