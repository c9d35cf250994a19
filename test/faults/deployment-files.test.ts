import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import webPush from "web-push";
import { freePorts } from "../testing/free-port.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const read = (path: string) => readFileSync(path, "utf8");

describe("The deployment files", function () {
  this.timeout(300_000);

  it("is an image with a non-root process, a health check, and SIGTERM handling", () => {
    const dockerfile = read("deploy/docker/Dockerfile");
    const instructions = dockerfile.split("\n").filter((line) => /^[A-Z]+ /.test(line));
    const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")));
    expect(last.find((line) => line.startsWith("USER "))).to.equal("USER node");
    expect(last.some((line) => line.startsWith("HEALTHCHECK "))).to.equal(true);
    expect(last.at(-1)).to.equal('CMD ["/app/deploy/run", "api"]');
    expect(dockerfile).not.to.match(/:latest|^ADD |sudo|curl .*\| *sh/m);
    for (const line of instructions.filter((one) => one.startsWith("FROM "))) expect(line).to.match(/:\d+/);
    for (const [, path] of dockerfile.matchAll(/COPY --from=build --chown=root:root \/app\/(\S+)/g)) {
      const isBuilt = path === "node_modules" || path === "dist";
      expect(isBuilt || existsSync(path ?? ""), `${path} is copied and does not exist`).to.equal(true);
    }
  });

  it("copies every folder that the processes import from", () => {
    const copied = new Set(
      [...read("deploy/docker/Dockerfile").matchAll(/\/app\/([\w-]+) /g)].map((match) => match[1]),
    );
    const imported = new Set(["api", "indexer", "scripts"]);
    for (const room of imported) {
      for (const file of globSync(`${room}/**/*.ts`, { exclude: ["scripts/developer/**"] })) {
        for (const [, path = ""] of read(file).matchAll(/(?:from |import\()"(\.\.?\/[^"]+)"/g)) {
          imported.add(join(dirname(file), path).split("/")[0] ?? "");
        }
      }
    }
    for (const room of imported) expect(copied.has(room), `${room} is not in the image`).to.equal(true);
  });

  it("names only commands that exist", () => {
    const { scripts: known } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const pages = [
      ...globSync(["docs/*.md", "docs/runbook/*.md", ".github/workflows/*.yaml"]),
      "README.md",
      "CONTRIBUTING.md",
    ]
      .map(read)
      .join("\n");
    for (const [, name = ""] of pages.matchAll(/npm run ([\w:-]+)/g))
      expect(known, `npm run ${name}`).to.have.property(name);
  });

  it("name the image by its digest, which the release attests", () => {
    const images = [...read("deploy/kubernetes.yaml").matchAll(/^\s+image: (\S+)/gm)].map(([, image]) => image);
    expect(images).to.have.length.above(3);
    for (const image of images) expect(image).to.match(/^registry\.example\/torcida@sha256:[0-9a-f]{64}$/);
    const release = read(".github/workflows/release.yaml");
    expect(release).to.match(/subject-digest: \$\{\{ steps\.image\.outputs\.digest \}\}\s+push-to-registry: true/);
  });

  it("runs each of our containers read-only and without privileges", () => {
    const compose = read("deploy/docker/compose.yaml");
    for (const rule of ["read_only: true", "cap_drop: [ALL]", "no-new-privileges:true", "user: node"]) {
      expect(compose).to.include(rule);
    }
    expect(compose).not.to.match(/privileged: true|docker\.sock|:latest/);
    expect(compose, "a password in the file").not.to.match(/PASSWORD: *[A-Za-z0-9]/);
  });

  describe("with a running system @deep", () => {
    const folder = mkdtempSync(join(tmpdir(), "torcida-files-"));
    let system: FaultSystem;
    let metrics = "";
    before(async () => {
      const [metricsPort] = await freePorts(1);
      const VAPID_KEY_FILE = join(folder, "vapid.key");
      writeFileSync(VAPID_KEY_FILE, `${webPush.generateVAPIDKeys().privateKey}\n`, { mode: 0o600 });
      const push = { VAPID_KEY_FILE, VAPID_SUBJECT: "mailto:avisos@shop.example" };
      system = await startFaultSystem({ environment: { METRICS_PORT: String(metricsPort), ...push } });
      const textOf = async (url: string) => (await fetch(url)).text();
      const buyer = await system.shopper();
      await buyer.buy(1, 10);
      await system.settled();
      metrics = await until("both export their metrics", async () => {
        const all = `${await textOf(`http://127.0.0.1:${metricsPort}/metrics`)}\n${await textOf(`${system.indexer.url}/metrics`)}`;
        return all.includes("torcida_indexer_head_lag_seconds") && all;
      });
    });
    after(async () => {
      await system?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it("uses only exported metrics in alerts and dashboards, and links to existing pages", () => {
      // An error counter appears with the first error.
      const atFirstFailure = new Set(["torcida_indexer_rpc_errors_total", "torcida_rpc_contradictions_total"]);
      const texts = `${read("deploy/alerts.yaml")}\n${read("deploy/docker/grafana/dashboards/torcida.json")}`;
      const names = new Set([...texts.matchAll(/\btorcida_[a-z_]+\b/g)].map((match) => match[0]));
      expect(names.size).to.be.greaterThan(10);
      for (const name of names) {
        if (atFirstFailure.has(name)) continue;
        // A metric per account has no value without accounts.
        expect(metrics.includes(`\n${name}`) || metrics.includes(`# TYPE ${name} `), name).to.equal(true);
      }
      for (const [, page = ""] of texts.matchAll(/runbook: (\S+\.md)/g)) expect(existsSync(page), page).to.equal(true);
    });

    it("runs every command of the runbook with the documented result", async () => {
      const texts = globSync("docs/runbook/*.md").map(read).join("\n");
      const commands = new Set(
        [...texts.matchAll(/`npm run ([\w:-]+)(?: -- ([^`]+))?`/g)].map(([, name, args]) =>
          `${name} ${args ?? ""}`.trim(),
        ),
      );
      expect(commands).to.include.all.keys(
        "doctor",
        "reconcile",
        "reconcile --accept",
        "payouts list",
        "payouts --resume",
      );
      for (const command of commands) {
        const given = command.replace("--network NAME", "--network localhost").replace(/DIR$/, join(folder, "review"));
        const words = given.match(/"[^"]*"|\S+/g) ?? [];
        const [name = "", ...args] = words.map((word) => word.replaceAll('"', ""));
        // These need runtime values, or are the processes themselves.
        if (/[…[]/.test(command) || ["indexer", "restore", "drill"].includes(name)) continue;
        const { code, output } = await system.run(`scripts/${name}.ts`, args);
        expect(code, `${command}: ${output}`).to.be.oneOf(name === "reconcile" ? [0, 4] : [0]);
        expect(output, command).to.not.match(/^\s+at /m);
      }
    });

    it("has a health check that detects a dead process", async () => {
      const { PORT, INDEXER_PORT } = system.environment;
      expect((await system.run("deploy/docker/health.ts", [], { PORT: PORT ?? "" })).code).to.equal(0);
      const indexer = { TORCIDA_PROCESS: "indexer", INDEXER_PORT: INDEXER_PORT ?? "" };
      expect((await system.run("deploy/docker/health.ts", [], indexer)).code).to.equal(0);
      expect((await system.run("deploy/docker/health.ts", [], { PORT: "9" })).code).to.equal(1);
      const reader = { TORCIDA_PROCESS: "affiliates", AFFILIATES_PORT: INDEXER_PORT ?? "" };
      expect((await system.run("deploy/docker/health.ts", [], reader)).code).to.equal(0);
    });
  });

  it("has runbook pages whose links exist", () => {
    for (const file of ["docs/operations.md", ...globSync("docs/runbook/*.md")]) {
      for (const [, target = ""] of read(file).matchAll(/\]\(([\w./-]+\.(?:md|yaml))\)/g)) {
        expect(existsSync(new URL(target, `file://${process.cwd()}/${file}`)), `${file} → ${target}`).to.equal(true);
      }
    }
    for (const [, page = ""] of globSync("scripts/doctor/*.ts")
      .map(read)
      .join("")
      .matchAll(/(docs\/runbook\/[\w-]+\.md)/g)) {
      expect(existsSync(page), page).to.equal(true);
    }
  });
});
