import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { drillAge, readDrill } from "../../core/database/backup-runs.ts";
import { connect } from "../../core/database/connect.ts";
import { freePorts } from "../testing/free-port.ts";
import { startPostgres } from "../testing/postgres.ts";
import { skipWithout } from "../testing/skip.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

/** What the output says, one after another. */
const MOMENTS = [/^Trying /m, /rows of .* are restored/, /reads what is newer/];

/** The newest copy of a shop is restored elsewhere, and compared with the chain. docs/runbook/drill.md */
describe("A drill @release", function () {
  this.timeout(300_000);
  const elsewhere = mkdtempSync(join(tmpdir(), "torcida-drill-"));
  const copies = join(elsewhere, "copies");
  const identity = join(elsewhere, "backup.key");
  let system: FaultSystem;
  let metricsUrl = "";

  before(async function () {
    if (spawnSync("age", ["--version"]).error) skipWithout(this, "age");
    mkdirSync(copies);
    const made = spawnSync("age-keygen", ["-o", identity], { encoding: "utf8" });
    const publicKey = /age1[0-9a-z]{58}/.exec(made.stderr + made.stdout)?.[0] ?? "";
    const [metricsPort] = await freePorts(1);
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    system = await startFaultSystem({
      environment: {
        METRICS_PORT: String(metricsPort),
        BACKUP_PUBLIC_KEY: publicKey,
        BACKUP_RECEIVER: `${join(process.cwd(), "deploy/receive-backup")} ${copies}`,
      },
    });
    const buyer = await system.shopper();
    await buyer.buy(1, 10);
    await buyer.buy(1, 20);
    await system.settled();
    await backUp();
    // What the copy cannot know.
    await buyer.buy(1, 30);
    await system.settled();
  });
  after(async () => {
    await system?.stop();
    rmSync(elsewhere, { recursive: true, force: true });
  });

  const backUp = async () => {
    const { code, output } = await system.run("scripts/backup.ts");
    expect(code, output).to.equal(0);
  };
  /** As on the machine that holds the key: a folder of its own, and no database of a shop. */
  const there = () => ({ DATA_DIR: join(elsewhere, "data"), DATABASE_URL: "" });
  const drill = (from = copies) => system.run("scripts/drill.ts", ["--from", from, "--identity", identity], there());
  const lastLine = (output: string) => output.trim().split("\n").at(-1) ?? "";
  const metric = async (name: string) => {
    const text = await (await fetch(metricsUrl)).text();
    return Number(new RegExp(`^torcida_${name} (.*)$`, "m").exec(text)?.[1]);
  };

  it("restores the newest copy, finds that it agrees with the chain, and leaves nothing behind", async () => {
    const { code, output } = await drill();
    expect(code, output).to.equal(0);
    expect(output)
      .to.include("✓ The copy and the chain agree")
      .and.match(/3 tickets are compared .*; 1 are younger/);
    const line = JSON.parse(lastLine(output));
    expect(line).to.include({ ok: true, differences: 0 });
    expect(line.rows).to.be.greaterThan(100);
    expect(Object.keys(line)).to.deep.equal(["ok", "archive_at", "seconds", "rows", "differences"]);
    expect(readdirSync(join(elsewhere, "data"))).to.deep.equal([]);
  });

  it("is told to the shop by its last line, and by nothing else", async () => {
    const { output } = await drill();
    expect(await metric("drill_age_seconds")).to.be.greaterThan(0);
    const told = await system.run("scripts/drill.ts", ["--record", lastLine(output)]);
    expect(told.code, told.output).to.equal(0);
    expect(await metric("drill_age_seconds")).to.be.lessThan(60);
    expect(await metric("drill_differences")).to.equal(0);
    const refused = await system.run("scripts/drill.ts", ["--record", '{"ok":true}']);
    expect(refused.code).to.equal(1);
    expect(refused.output).to.include("--record takes the last line of npm run drill");
    expect(await metric("backup_seconds")).to.be.greaterThan(0);
    expect(await metric("backup_forecast_seconds")).to.be.greaterThan(0);
  });

  it("can be killed at every moment, and run again", async () => {
    for (const moment of MOMENTS) {
      const child = spawn(process.execPath, ["scripts/drill.ts", "--from", copies, "--identity", identity], {
        env: { ...process.env, ...system.environment, ...there() },
      });
      let said = "";
      for await (const chunk of child.stdout.setEncoding("utf8")) {
        said += chunk;
        if (moment.test(said)) break;
      }
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
      expect(said).to.match(moment);
    }
    const { code, output } = await drill();
    expect(code, output).to.equal(0);
  });

  it("says why there is no answer: no key, no copy, and a shop's own database", async () => {
    const run = (...args: string[]) => system.run("scripts/drill.ts", args, there());
    const [newest = ""] = readdirSync(copies).filter((name) => name.endsWith(".age"));
    for (const [args, said] of [
      [["--from", join(copies, newest)], /is encrypted: name the private key/],
      [["--from", join(copies, newest), "--identity", "missing"], /age ended with 1: .*missing/],
      [["--from", join(elsewhere, "data")], /holds no backup and no copy of one/],
      [[], /Use: npm run drill -- --from FILE/],
    ] as const) {
      const { code, output } = await run(...args);
      expect(code).to.equal(1);
      expect(output).to.match(said);
    }
  });

  it("believes nothing of a copy that a stranger has encrypted for the key: no link elsewhere, no pipe without an end", async () => {
    const hostile = join(elsewhere, "hostile");
    const victim = join(elsewhere, "victim");
    const publicKey = system.environment.BACKUP_PUBLIC_KEY;
    for (const [name, make] of [
      ["scratch.db", `ln -s ${victim} scratch.db && touch torcida-2026-01-01.jsonl.gz`],
      ["erased", "mkfifo erased && touch torcida-2026-01-01.jsonl.gz"],
    ]) {
      rmSync(hostile, { recursive: true, force: true });
      mkdirSync(hostile);
      const copy = join(elsewhere, "torcida-hostile.tar.age");
      const made = spawnSync("sh", ["-c", `${make} && tar -c * | age -r ${publicKey} > ${copy}`], { cwd: hostile });
      expect(made.status, String(made.stderr)).to.equal(0);
      const { code, output } = await drill(copy);
      expect(code).to.equal(1);
      expect(output).to.include(`holds ${name}, which is no file`);
    }
    expect(existsSync(victim)).to.equal(false);
  });

  it("tries a PostgreSQL that was recovered from its log, without a copy", async () => {
    const postgres = await startPostgres();
    try {
      const [url, shops] = [await postgres.createDatabase(), await postgres.createDatabase()];
      const archive = join(elsewhere, "plain");
      const { code, output } = await system.run("scripts/backup.ts", ["--to", archive]);
      expect(code, output).to.equal(0);
      const [file = ""] = readdirSync(archive).filter((name) => name.endsWith(".gz"));
      await system.run("scripts/restore.ts", ["--from", join(archive, file)], { ...there(), DATABASE_URL: url });
      const tried = await system.run("scripts/drill.ts", ["--from", url], { ...there(), DATABASE_URL: shops });
      expect(tried.code, tried.output).to.equal(0);
      const refused = await system.run("scripts/drill.ts", ["--from", url], { ...there(), DATABASE_URL: url });
      expect(refused.output).to.include("--from is DATABASE_URL itself");
    } finally {
      await postgres.stop();
    }
  });

  it("names what a copy lost, and the shop tells it", async () => {
    const database = await connect(system.databaseUrl);
    await system.api.stop();
    const lost = await database.kysely
      .selectFrom("purchases")
      .selectAll()
      .where("id", "=", 2n)
      .executeTakeFirstOrThrow();
    await database.kysely.deleteFrom("purchases").where("id", "=", 2n).execute();
    await backUp();
    await database.kysely.insertInto("purchases").values(lost).execute();
    const { code, output } = await drill();
    expect(code).to.equal(1);
    expect(output).to.include("✗ Ticket 2 has no purchase");
    const line = lastLine(output);
    expect(JSON.parse(line)).to.include({ ok: false });
    const good = await drillAge(database.kysely);
    expect((await system.run("scripts/drill.ts", ["--record", line])).code).to.equal(0);
    expect((await readDrill(database.kysely))?.last.ok).to.equal(false);
    expect(await drillAge(database.kysely), "no younger than the last good one").to.be.greaterThan(good ?? 0);
    await database.close();
    system.api.start();
    await system.api.ready("/healthz");
    expect(await metric("drill_differences")).to.be.greaterThan(0);
  });
});
