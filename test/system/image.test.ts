import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { DEMO_WALLETS } from "../../frontend/development/demo-wallets/demo-wallets.ts";
import { type FaultSystem, startFaultSystem } from "../faults/support/fault-system.ts";
import { freePorts } from "../testing/free-port.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { skipWithout } from "../testing/skip.ts";
import { until } from "../testing/until.ts";
import { Image } from "./support/image.ts";

type Service = {
  command?: string[];
  image?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  read_only?: boolean;
  secrets?: { source: string }[];
};
type Compose = {
  services: Record<string, Service>;
  secrets: Record<string, { file?: string; environment?: string }>;
};
const { services, secrets } = parse(readFileSync("deploy/docker/compose.yaml", "utf8"), { merge: true }) as Compose;
const commandOf = (service: string) => services[service]?.command ?? [];

describe("The containers @deep", () => {
  it("are the whole system, each with its own command or image", () => {
    expect(Object.keys(services)).to.have.members([
      "postgres",
      "postgres-standby",
      "pooler",
      "pooler-standby",
      "migrate",
      "api",
      "api-second",
      "indexer",
      "indexer-standby",
      "affiliates",
      "backup",
      "prometheus",
      "alertmanager",
      "grafana",
    ]);
    for (const [name, { image }] of Object.entries(services))
      expect(image, name).to.match(/^(torcida|[\w./-]+:[\w.-]+)$/);
  });

  it("mount only files that exist here", () => {
    const files = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(":")[0] ?? ""));
    for (const file of files.filter((one) => one.startsWith(".") && one !== "../../keys")) {
      expect(existsSync(join("deploy/docker", file)), file).to.equal(true);
    }
  });
});

describe("Compose itself @deep", () => {
  const PASSWORDS = { POSTGRES_PASSWORD: "one", REPLICATION_PASSWORD: "two", GRAFANA_PASSWORD: "three" };
  before(function () {
    if (spawnSync("docker-compose", ["version"]).status !== 0) skipWithout(this, "docker-compose: Debian's package");
  });

  /** What it makes of the file, with a part replaced, or says about it; it needs no engine for this. */
  const configOf = (variables: Record<string, string>, [part, other]: [string, string] = ["", ""]) => {
    const folder = mkdtempSync(join(tmpdir(), "torcida-compose-"));
    try {
      cpSync("deploy", join(folder, "deploy"), { recursive: true });
      writeFileSync(join(folder, ".env"), "NETWORK=spicy\n");
      // Debian 12's does not know the project's name, which every later one does.
      const file = readFileSync("deploy/docker/compose.yaml", "utf8")
        .replace(/^name: .*$/m, "")
        .replace(part, other);
      writeFileSync(join(folder, "deploy/docker/compose.yaml"), file);
      const command = ["-p", "torcida", "-f", "deploy/docker/compose.yaml", "--profile", "networks", "config"];
      const env = { PATH: process.env.PATH ?? "", HOME: folder, ...variables };
      const { status, stdout, stderr } = spawnSync("docker-compose", command, { cwd: folder, env, encoding: "utf8" });
      return { status, stdout, stderr };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it("accepts the file, and gives each of our containers our settings", () => {
    const { status, stdout, stderr } = configOf(PASSWORDS);
    expect(status, stderr).to.equal(0);
    const { services: found } = parse(stdout) as Compose;
    expect(Object.keys(found)).to.have.members(Object.keys(services));
    const ours = Object.values(found).filter(({ image }) => image === "torcida");
    expect(ours).to.have.length(7);
    for (const { environment } of ours)
      expect(environment).to.include({
        NETWORK: "spicy",
        DATABASE_URL: "postgres://torcida:one@pooler:6432,pooler-standby:6432/torcida",
      });
  });

  it("says what is missing or misspelt", () => {
    expect(configOf({ ...PASSWORDS, GRAFANA_PASSWORD: "" }).stderr).to.include("set GRAFANA_PASSWORD");
    expect(configOf(PASSWORDS, ["read_only: true", "read_onyl: true"]).stderr).to.include("read_onyl");
    expect(configOf(PASSWORDS, ["migrate: { condition", "migrated: { condition"]).stderr).to.include("migrated");
  });
});

describe("The containers can start", () => {
  it("because no read-only one has a secret that would have to be written into it", () => {
    const used = Object.values(services).filter(({ secrets: own = [] }) => own.length > 0);
    expect(used).not.to.be.empty;
    for (const { read_only, secrets: own = [] } of used) {
      for (const { source } of own)
        expect(secrets[source], source).to.have.property(read_only ? "file" : "environment");
    }
  });

  it("because PostgreSQL 18 finds its folder, one for each version, below the volume", () => {
    const servers = Object.entries(services).filter(([, { image }]) => image?.startsWith("postgres:"));
    expect(servers).to.have.length(2);
    for (const [name, { image = "", volumes = [], environment = {} }] of servers) {
      expect(Number(/\d+/.exec(image)?.[0]), image).to.be.at.least(18);
      expect(volumes[0], name).to.match(/:\/var\/lib\/postgresql$/);
      expect(environment, name).not.to.have.property("PGDATA");
    }
  });

  it("and tell callers apart behind the balancer", () => {
    for (const name of ["api", "api-second"])
      expect(services[name]?.environment?.TRUST_PROXY, name).to.match(/^\$\{TRUST_PROXY:-\d\}$/);
  });
});

describe("Prometheus in the containers", () => {
  it("reaches each process that serves metrics, and knows its job", () => {
    const { scrape_configs: jobs } = parse(readFileSync("deploy/docker/prometheus/prometheus.yaml", "utf8")) as {
      scrape_configs: { job_name: string; dns_sd_configs: [{ names: string[]; port: number }] }[];
    };
    const scraped = jobs.flatMap(({ dns_sd_configs: [{ names }] }) => names);
    const serving = Object.keys(services).filter((name) =>
      /deploy\/run,(?:api|indexer|affiliates)$/.test(`${commandOf(name)}`),
    );
    expect(scraped).to.have.members(serving);
    for (const host of ["INDEXER_HOST", "AFFILIATES_HOST"])
      for (const name of serving) expect(services[name]?.environment, name).to.have.property(host, "0.0.0.0");
    for (const { job_name: job } of jobs)
      expect(readFileSync("deploy/prometheus.yaml", "utf8")).to.include(`job_name: ${job}`);
  });
});

describe("The image, unpacked and run read-only as nobody @deep", function () {
  this.timeout(240_000);
  let image: Image;
  let postgres: Postgres;
  let system: FaultSystem;
  let environment: Record<string, string>;
  const running: { kill(signal: NodeJS.Signals): boolean }[] = [];
  before(async () => {
    image = new Image();
    postgres = await startPostgres();
    // Only chain and contracts; the processes come from the image.
    system = await startFaultSystem({ withoutIndexer: true });
    await system.api.stop();
    const [port, indexerPort, metricsPort] = await freePorts(3);
    const { purchaseNft, cashbackDistributor, block } = system.deployment;
    environment = {
      NETWORK: "localhost",
      RPC_URLS: system.anvil.rpcUrl,
      DATABASE_URL: await postgres.createDatabase(),
      PURCHASE_NFT_ADDRESS: purchaseNft.address,
      CASHBACK_DISTRIBUTOR_ADDRESS: cashbackDistributor.address,
      START_BLOCK: String(block),
      HOST: "127.0.0.1",
      PORT: String(port),
      INDEXER_PORT: String(indexerPort),
      METRICS_PORT: String(metricsPort),
    };
  });
  after(async () => {
    for (const child of running) child.kill("SIGKILL");
    await system?.stop();
    await postgres?.stop();
    image?.remove();
  });

  it("creates the schema, and can write only to its data", async () => {
    const { code, output } = await image.run(commandOf("migrate"), environment);
    expect([code, output]).to.deep.equal([0, "The database of localhost has this version's schema\n"]);
    const probe = `
      const folders = { code: ".", web: "dist", data: process.env.DATA_DIR, temporary: os.tmpdir() };
      for (const [name, folder] of Object.entries(folders)) {
        try { fs.writeFileSync(path.join(folder, "x"), ""); console.log(name) } catch {}
      }
      if (process.getuid() > 0) console.log("as nobody");`;
    const { output: written } = await image.run(["node", "-e", probe], environment);
    expect(written.trim().split("\n")).to.deep.equal(["data", "temporary", "as nobody"]);
  });

  it("serves the shop, indexes, passes its health checks and ends on SIGTERM", async () => {
    const api = image.start(commandOf("api"), environment);
    const indexer = image.start(commandOf("indexer"), { ...environment, TORCIDA_PROCESS: "indexer" });
    running.push(api.child, indexer.child);
    const url = `http://127.0.0.1:${environment.PORT}`;
    await until("the api is ready", async () => (await fetch(`${url}/readyz`)).ok).catch((error: Error) => {
      throw new Error(`${error.message}\n${api.output()}\n${indexer.output()}`);
    });
    expect(await (await fetch(url)).text()).to.include('<div id="root">');
    const health = ["/app/deploy/run", "health"];
    expect((await image.run(health, environment)).code).to.equal(0);
    await until("the indexer is healthy", async () => {
      return (await image.run(health, { ...environment, TORCIDA_PROCESS: "indexer" })).code === 0;
    });
    for (const script of ["doctor", "reconcile", "payouts"]) {
      const args = script === "payouts" ? ["list"] : [];
      const { code, output } = await image.run(["/app/deploy/run", script, ...args], environment);
      expect(code, output).to.be.oneOf(script === "reconcile" ? [0, 3, 4] : [0, 1]);
      expect(output).to.not.match(/ERR_MODULE_NOT_FOUND|SyntaxError|EROFS/);
    }
    for (const { child } of [api, indexer]) {
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGTERM");
      expect(await closed).to.equal(0);
    }
  });

  it("backs up periodically", async () => {
    const backup = image.start([...commandOf("backup").slice(0, -1), "1"], environment);
    running.push(backup.child);
    await until("two backups", () => (backup.output().match(/rows\./g) ?? []).length >= 2);
    const closed = new Promise((resolve) => backup.child.once("close", resolve));
    backup.child.kill("SIGTERM");
    expect(await closed, backup.output()).to.equal(0);
  });

  it("has no demo wallet and no test, and none of their keys", () => {
    const listed = execFileSync(
      "find",
      [join(image.folder, "app"), "-not", "-path", "*/node_modules/*", "-type", "f"],
      { encoding: "utf8" },
    );
    const files = listed.trim().split("\n");
    expect(files.filter((file) => /\.test\.ts$|development\//.test(file))).to.deep.equal([]);
    for (const file of files) {
      const text = readFileSync(file, "latin1").toLowerCase();
      for (const { key } of DEMO_WALLETS) expect(text.includes(key.slice(2).toLowerCase()), file).to.equal(false);
    }
  });
});
