import { expect } from "chai";
import {
  BACKUP_LONG_SECONDS,
  type BackupRun,
  DRILL_OLD_DAYS,
  forecastBackup,
  withRun,
} from "../../core/rules/backups.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { readAlertRules } from "../testing/alerts.ts";

const run = (day: number, rows: number, change: Partial<BackupRun> = {}): BackupRun => ({
  at: day * DAY_MS,
  seconds: rows / 1_000,
  bytes: rows * 20,
  rows,
  freeBytes: 100_000_000,
  kept: 48,
  ...change,
});

describe("What a backup will take", () => {
  it("is not known before the first, and grows with its rows from a day on", () => {
    expect(forecastBackup([])).to.equal(undefined);
    const [first, hours, days] = [run(0, 100_000), run(0.5, 200_000), run(10, 200_000)];
    expect(forecastBackup([first, hours])?.seconds, "half a day is no measure").to.equal(200);
    // 10,000 rows a day: 1,100,000 in 90 days.
    const forecast = forecastBackup([first, days]);
    expect(forecast?.seconds).to.be.closeTo(1_100, 0.001);
    expect(forecast?.bytes).to.be.closeTo(22_000_000, 1);
    expect(forecast?.fill).to.be.closeTo((22_000_000 * 48) / (100_000_000 + 4_000_000 * 48), 0.001);
  });

  it("is not that of a busy hour, nor less after rows were deleted", () => {
    const runs = [run(0, 1_000), run(1, 1_000), run(2, 1_000), run(3, 1_000, { seconds: 500 })];
    expect(forecastBackup(runs)?.seconds).to.equal(1);
    expect(forecastBackup([run(0, 2_000), run(30, 1_000)])?.seconds).to.equal(1);
  });

  it("is measured by the last runs, and one of each of sixty days before", () => {
    let runs: BackupRun[] = [];
    for (let hour = 0; hour < 24 * 100; hour++) runs = withRun(runs, run(hour / 24, hour));
    expect(runs).to.have.length(60);
    expect(runs.slice(-5).map(({ rows }) => rows)).to.deep.equal([2395, 2396, 2397, 2398, 2399]);
    expect(new Set(runs.slice(0, -5).map(({ at }) => Math.floor(at / DAY_MS))).size).to.equal(55);
  });

  it("is told by alerts with the same limits", () => {
    const expr = (name: string) => readAlertRules().find(({ alert }) => alert === name)?.expr ?? "";
    expect(expr("TorcidaBackupOutgrown")).to.include(`forecast_seconds) > ${BACKUP_LONG_SECONDS} or`);
    expect(expr("TorcidaDrillOld")).to.include(`> ${DRILL_OLD_DAYS} * 86400`);
  });
});
