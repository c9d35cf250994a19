import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { expect } from "chai";
import { systemEnvironment } from "../testing/torcida.ts";
import { until } from "../testing/until.ts";

/** Debian 13's, the last of the major versions that know nothing of `allowScripts`, and the first that does. */
const NPM_VERSIONS = ["9.2.0", "10.9.2", "11.19.1"];
/** The machine's own Node, which is Debian's, with each npm; the later ones with the npm that they bring. */
const INSTALLS: readonly (readonly [npm: string, node?: string])[] = [
  ...NPM_VERSIONS.map((npm) => [npm] as const),
  ["10.9.2", "22"],
  ["11.19.1", "24"],
];
const COMPILERS = /^(.*-)?(gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|make|gmake|cmake|python[\d.]*)(-[\d.]+)?$/;
/** npm and npx come from `npx npm@…`. */
const NOT_LINKED = ["npm", "npx"];
/** What this machine has downloaded before; each package is checked against the lock file all the same. */
const DOWNLOADS = execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim();

describe("npm ci @release", function () {
  this.timeout(900_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-install-"));
  const bin = join(folder, "bin");
  const clone = join(folder, "torcida");
  before(() => {
    linkPrograms(bin);
    mkdirSync(clone);
    execFileSync("sh", ["-c", 'git ls-files -z | tar --create --null --files-from=- | tar --extract -C "$0"', clone]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [version, node] of INSTALLS) {
    it(`installs with npm ${version}, ${node ? `Node ${node}` : "the machine's own Node"} and no compiler, and leaves the lock file alone`, () => {
      expect(spawnSync("sh", ["-c", "command -v gcc g++ cc make"], { env: { PATH: bin } }).stdout.toString()).to.equal(
        "",
      );
      const npm = npmOf(version, folder);
      const env = {
        HOME: folder,
        PATH: `${node ? `${nodeOf(node, folder)}:` : ""}${join(npm, "..")}:${bin}`,
        npm_config_cache: DOWNLOADS,
        npm_config_prefer_offline: "true",
      };
      if (node) {
        const said = spawnSync("node", ["--version"], { env, encoding: "utf8" }).stdout;
        expect(said).to.match(new RegExp(`^v${node}\\.`));
      }
      const { status, stdout, stderr } = spawnSync(npm, ["ci"], { cwd: clone, env, encoding: "utf8" });
      expect(status, (stdout + stderr).slice(-3_000)).to.equal(0);
      for (const file of ["package.json", "package-lock.json"])
        expect(spawnSync("cmp", [file, join(clone, file)]).status, file).to.equal(0);
      expect(existsSync(join(clone, "node_modules/better-sqlite3/build")), "compiled").to.equal(false);
      const program = `
        const Database = require("better-sqlite3");
        const edr = require("@nomicfoundation/edr");
        console.log(process.versions.node.split(".")[0], new Database(":memory:").prepare("select 1").pluck().get());`;
      const run = spawnSync("node_modules/.bin/node", ["-e", program], { cwd: clone, env, encoding: "utf8" });
      expect(run.stdout.trim(), run.stderr).to.equal("24 1");
    });
  }

  it("leaves a system that starts", async () => {
    const own = await systemEnvironment();
    const env = { ...own, HOME: folder, PATH: `${join(npmOf(NPM_VERSIONS[0] ?? "", folder), "..")}:${bin}` };
    const child = spawn("npm", ["start"], { cwd: clone, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk));
    const ended = new Promise((resolve) => child.once("close", resolve));
    try {
      await until("it is ready", () => said.includes("Torcida is ready") || child.exitCode !== null, 120_000);
      expect((await fetch(`http://localhost:${own.PORT}/readyz`)).status, said).to.equal(200);
    } finally {
      process.kill(-(child.pid ?? 0), "SIGINT");
      await ended;
      rmSync(own.DATA_DIR ?? "", { recursive: true, force: true });
    }
  });
});

/** A folder with every program of this machine but compilers; Node is the machine's, not the one that tests run under. */
function linkPrograms(bin: string): void {
  mkdirSync(bin);
  const folders = (process.env.PATH ?? "").split(":").filter((one) => existsSync(one) && !one.includes("node_modules"));
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      if (COMPILERS.test(name) || NOT_LINKED.includes(name) || existsSync(join(bin, name))) continue;
      symlinkSync(resolve(folder, name), join(bin, basename(name)));
    }
  }
}

/** The folder of `node` of one version. */
function nodeOf(version: string, folder: string): string {
  const home = join(folder, `node-${version}`);
  const name = `node-linux-${process.arch}`;
  const install = ["install", "--prefix", home, "--no-audit", "--no-fund", `${name}@${version}`];
  if (!existsSync(home)) execFileSync("npm", install, { stdio: "ignore" });
  return join(home, "node_modules", name, "bin");
}

/** `npm` of one version, in a folder of its own. */
function npmOf(version: string, folder: string): string {
  const home = join(folder, `npm-${version}`);
  execFileSync("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", `npm@${version}`], { stdio: "ignore" });
  return join(home, "node_modules/.bin/npm");
}
