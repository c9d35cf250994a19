import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
/** Part of the base image; here taken from this machine. */
const BASE = ["bin", "etc", "lib", "lib64", "usr"];
const NOBODY = "65534";

/** The image of deploy/docker/Dockerfile as a folder, and its commands as they run in a container: read-only, without a user or a capability. */
export class Image {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly #dockerfile = readFileSync(join(ROOT, "deploy/docker/Dockerfile"), "utf8");

  /** Its folder must be on the same disk as node_modules, because it shares files with it. */
  constructor() {
    mkdirSync(join(ROOT, "cache"), { recursive: true });
    this.folder = mkdtempSync(join(ROOT, "cache/image-"));
    // Used by another user.
    chmodSync(this.folder, 0o755);
    this.environment = this.#readEnvironment();
    for (const folder of [...BASE, "tmp", "data", "proc", "dev", "app", "usr-local-node"])
      mkdirSync(join(this.folder, folder));
    this.#copyFiles();
  }

  /** As in the last stage: `COPY --from=build … /app/X ./X`. */
  #copyFiles(): void {
    const app = join(this.folder, "app");
    for (const [, path = ""] of this.#dockerfile.matchAll(/^COPY --from=build --chown=root:root \/app\/(\S+)/gm)) {
      if (path === "node_modules") copyProductionPackages(app);
      else if (path === "dist") build(join(app, "dist"));
      else cpSync(join(ROOT, path), join(app, path), { recursive: true });
    }
  }

  #readEnvironment(): Record<string, string> {
    const last = this.#dockerfile.slice(this.#dockerfile.lastIndexOf("\nFROM "));
    const pairs = [...last.matchAll(/^ENV (.+)$/gm)].flatMap((match) => match[1]?.split(" ") ?? []);
    return Object.fromEntries(pairs.map((pair) => pair.split("=", 2) as [string, string]));
  }

  /** Starts a command of the image; its output is in `output`. */
  start(command: readonly string[], environment: Record<string, string>): { child: ChildProcess; output(): string } {
    const isRoot = process.getuid?.() === 0;
    const spaces = isRoot ? ["--mount"] : ["--map-current-user", "--keep-caps", "--mount"];
    const { folder } = this;
    const mounts = [
      ...BASE.map((name) => `mount --rbind /${name} ${folder}/${name}`),
      ...["tmp", "data"].map((name) => `mount -t tmpfs -o size=256m,mode=1777 tmpfs ${folder}/${name}`),
      `mount --rbind /proc ${folder}/proc`,
      `mount --rbind /dev ${folder}/dev`,
      `mount --bind ${dirname(process.execPath)} ${folder}/usr-local-node`,
      `mount --bind ${folder}/app ${folder}/app`,
      `mount -o remount,bind,ro ${folder}/app`,
    ];
    const drop = isRoot
      ? `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups --no-new-privs --bounding-set=-all`
      : "setpriv --no-new-privs";
    const inside = `export PATH=/usr-local-node:$PATH; cd /app && exec ${drop} "$@"`;
    const script = `set -e; ${mounts.join("; ")}; exec chroot ${folder} /bin/sh -c '${inside}' sh "$@"`;
    const child = spawn("unshare", [...spaces, "/bin/sh", "-c", script, "sh", ...command], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...this.environment, ...environment },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString("utf8");
      });
    }
    return { child, output: () => output };
  }

  /** Runs a command to its end. */
  async run(
    command: readonly string[],
    environment: Record<string, string>,
  ): Promise<{ code: number; output: string }> {
    const { child, output } = this.start(command, environment);
    const code = await new Promise<number>((resolve) => child.once("close", (status) => resolve(status ?? -1)));
    return { code, output: output() };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The result of `npm prune --omit=dev --omit=optional`. */
function copyProductionPackages(app: string): void {
  const list = listPackages();
  for (const path of list) {
    const target = join(app, relative(ROOT, path));
    mkdirSync(dirname(target), { recursive: true });
    execFileSync("cp", ["-al", path, target]);
  }
}

function listPackages(): string[] {
  const args = ["ls", "--omit=dev", "--omit=optional", "--all", "--parseable"];
  let text: string;
  try {
    text = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    // It lists all of them, and then reports others as errors.
    text = String((error as { stdout?: string }).stdout);
  }
  const paths = text.split("\n").filter((path) => path.includes("/node_modules/"));
  // A package inside another is copied with it.
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
}

function build(folder: string): void {
  const vite = join(ROOT, "node_modules/vite/bin/vite.js");
  execFileSync(process.execPath, [vite, "build", "--outDir", folder, "--emptyOutDir", "--logLevel", "error"], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: "production" },
  });
}
