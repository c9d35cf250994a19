import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { connect } from "../../core/database/connect.ts";
import { examineRestoreCommand, examineUnits } from "../../scripts/doctor/examine-installed.ts";
import { startPostgres } from "../testing/postgres.ts";

const RUN = resolve("deploy/run");
/** As 1.0.0 installed it. */
const UNIT_OF_1_0 = `[Service]
ExecStart=/opt/torcida/node_modules/.bin/node --import ./platform/env-file.ts affiliates/main.ts
`;

describe("deploy/run", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "torcida-run-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** From a folder that is not the repository, as PostgreSQL and a person call it. */
  const run = (...args: string[]) => spawnSync(RUN, args, { cwd: folder, encoding: "utf8" });

  it("starts all that units, containers and manifests name", () => {
    const files = [...globSync("deploy/systemd/*.service"), ...globSync("deploy/docker/{Dockerfile,compose.yaml}")];
    const texts = [...files, "deploy/kubernetes.yaml"].map((file) => readFileSync(file, "utf8")).join("\n");
    const names = [...texts.matchAll(/deploy\/run"?,? "?([a-z-]+)/g)].map(([, name = ""]) => name);
    const services = ["api", "indexer", "affiliates", "migrate", "backup", "reconcile", "health"];
    expect([...new Set(names)]).to.have.members(services);
    for (const name of services.filter((one) => one !== "health")) {
      const { status, stdout, stderr } = run(name, "--help");
      expect(status, `${name}: ${stderr}`).to.equal(0);
      expect(stdout, name).to.have.length.above(20);
    }
    expect(texts, "a file that could move").not.to.match(/(?:ExecStart=|command: \[|CMD \[").*\.ts\b/);
  });

  it("gives an operator's command its arguments, and its exit code back", () => {
    const { status, stderr } = run("backup", "--until", "now");
    expect([status, stderr]).to.deep.equal([1, stderr]);
    expect(stderr).to.match(/--until/);
  });

  it("copies a segment where PostgreSQL stands", () => {
    const archive = join(folder, "wal");
    mkdirSync(archive);
    writeFileSync(join(archive, "000000010000000000000001"), "segment");
    expect(run("restore-wal", archive, "000000010000000000000001", "here").status).to.equal(0);
    expect(readFileSync(join(folder, "here"), "utf8")).to.equal("segment");
  });

  it("says in one sentence that the system's Node is too old, or that there is none", () => {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const file of ["deploy/run", "scripts/developer/require-node.sh", "scripts/payouts.ts"])
      cpSync(file, join(folder, file));
    const runWith = (node: string) => {
      writeFileSync(join(bin, "node"), `#!/bin/sh\n${node}\n`, { mode: 0o755 });
      const env = { ...process.env, PATH: `${bin}:/usr/bin:/bin` };
      return spawnSync(join(folder, "deploy/run"), ["payouts"], { encoding: "utf8", env });
    };
    for (const [node, found] of [
      ["echo v20.19.2", "v20.19.2"],
      ["echo v22.1.0", "v22.1.0"],
      ["exit 127", "none that runs"],
    ] as const) {
      const { status, stdout, stderr } = runWith(node);
      expect([status, stdout]).to.deep.equal([1, ""]);
      expect(stderr.trim())
        .to.match(/^Torcida needs Node 24 or later, and found .*$/)
        .and.include(`found ${found}: `);
    }
    expect(runWith('echo "v24.1.0 $*"').stdout).to.include("scripts/payouts.ts");
  });

  it("says what there is, if there is no such name", () => {
    for (const name of ["", "nothing", "../api/main", "start.ts"]) {
      const { status, stderr } = run(name);
      expect(status, name).to.equal(64);
      expect(stderr).to.match(/^deploy\/run: there is no ".*"; it runs api, indexer, .*\bdoctor\b/);
    }
  });

  describe("is what the doctor looks for", () => {
    it("in the units of the machine, and names those that 1.0 installed", () => {
      expect(examineUnits(folder)).to.deep.equal([]);
      writeFileSync(join(folder, "torcida-affiliates.service"), UNIT_OF_1_0);
      const [old] = examineUnits(folder);
      expect(old?.state).to.equal("failure");
      expect(old?.detail).to.match(/^torcida-affiliates\.service of /);
      for (const unit of globSync("deploy/systemd/*")) cpSync(unit, join(folder, unit.split("/").at(-1) ?? ""));
      expect(examineUnits(folder).map(({ state }) => state)).to.deep.equal(["healthy"]);
    });

    it("in PostgreSQL's restore_command @deep", async () => {
      const postgres = await startPostgres({ pooler: false });
      const url = await postgres.createDatabase();
      const database = await connect(url);
      const found = async (command: string) => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query(`alter system set restore_command = '${command}'`);
        await client.query("select pg_reload_conf(), pg_sleep(0.2)");
        await client.end();
        return (await examineRestoreCommand(database)).map(({ state }) => state);
      };
      try {
        expect(await examineRestoreCommand(database)).to.deep.equal([]);
        expect(await found("/opt/torcida/ops/restore-wal /srv/wal %f %p")).to.deep.equal(["warning"]);
        expect(await found("/opt/torcida/deploy/run restore-wal /srv/wal %f %p")).to.deep.equal([]);
      } finally {
        await database.close();
        await postgres.stop();
      }
    });
  });
});
