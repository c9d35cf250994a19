import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError, unwritable } from "./run-to-end.ts";

export type ChildSpecification = {
  name: string;
  command: string;
  arguments: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** The signal that stops it. Anvil writes its state on SIGINT. */
  signal?: "SIGINT" | "SIGTERM";
};

const RESTART_DELAY_MS = 1_000;
const FAILURE_WINDOW_MS = 30_000;
const FAILURES_IN_WINDOW = 5;
const END_TIMEOUT_MS = 12_000;
const POLL_MS = 50;

/**
 * The processes of a running system. A process that exits is restarted; one that keeps exiting ends the system, with
 * its last output. Their process ids are stored in a file, so that the next start after a `kill -9` can stop leftover
 * processes.
 */
export class Children {
  readonly #running = new Map<string, ChildProcess>();
  readonly #logDirectory: string;
  /** From the second start on, a process need not strip types or compile. */
  readonly #compileCache: string;
  readonly #pidFile: string;
  readonly #onGivenUp: (message: string) => void;
  #ending = false;

  constructor(dataDirectory: string, onGivenUp: (message: string) => void) {
    this.#logDirectory = join(dataDirectory, "logs");
    this.#compileCache = join(dataDirectory, "compile-cache");
    this.#pidFile = join(dataDirectory, "processes.json");
    this.#onGivenUp = onGivenUp;
    mkdirSync(this.#logDirectory, { recursive: true });
  }

  /** Starts a process; its output goes to a file in the log folder. */
  start(specification: ChildSpecification, earlierFailures?: readonly number[]): void {
    const logFile = this.logFile(specification.name);
    const log = createWriteStream(logFile, { flags: earlierFailures === undefined ? "w" : "a" });
    log.on("error", (error) => this.#onGivenUp(unwritable(logFile, error)));
    const child = spawn(specification.command, specification.arguments, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { NODE_COMPILE_CACHE: this.#compileCache, ...process.env, ...specification.env },
      // In its own process group: Ctrl-C reaches only this process, which stops the others in order.
      detached: true,
    });
    this.#running.set(specification.name, child);
    this.#writePids();
    let lastWords = "";
    const record = (chunk: Buffer) => {
      log.write(chunk);
      lastWords = (lastWords + chunk.toString("utf8")).slice(-2_000);
    };
    child.stdout?.on("data", record);
    child.stderr?.on("data", record);
    child.on("error", (error) => record(Buffer.from(`${error.message}\n`)));
    child.on("close", (code, signal) => {
      log.end();
      if (this.#ending) return;
      this.#running.delete(specification.name);
      // A signal came from outside; only exits without one count as failures.
      const failures = signal ? (earlierFailures ?? []) : [...(earlierFailures ?? []), performance.now()];
      this.#restart(specification, failures, signal ?? `exit code ${code}`, lastWords);
    });
  }

  #restart(specification: ChildSpecification, failures: readonly number[], reason: string, lastWords: string): void {
    const recent = failures.filter((at) => performance.now() - at < FAILURE_WINDOW_MS);
    if (recent.length >= FAILURES_IN_WINDOW) {
      const words = lastWords.trim().split("\n").slice(-5).join("\n");
      this.#onGivenUp(`${specification.name} keeps ending (${reason}); its last words:\n${words}`);
      return;
    }
    console.log(
      `! ${specification.name} ended (${reason}); starting it again, log in ${this.logFile(specification.name)}`,
    );
    setTimeout(() => {
      if (!this.#ending) this.start(specification, recent);
    }, RESTART_DELAY_MS);
  }

  logFile(name: string): string {
    return join(this.#logDirectory, `${name}.log`);
  }

  /** Stops every process in reverse order and waits; kills those that do not exit in time. */
  async endAll(specifications: readonly ChildSpecification[]): Promise<void> {
    this.#ending = true;
    for (const specification of [...specifications].reverse()) {
      const child = this.#running.get(specification.name);
      if (child) await end(child, specification.signal ?? "SIGTERM");
    }
    rmSync(this.#pidFile, { force: true });
  }

  #writePids(): void {
    const pids = Object.fromEntries([...this.#running].map(([name, child]) => [name, child.pid]));
    mkdirSync(dirname(this.#pidFile), { recursive: true });
    try {
      writeFileSync(this.#pidFile, JSON.stringify({ start: process.pid, ...pids }));
    } catch (error) {
      this.#onGivenUp(unwritable(this.#pidFile, error));
    }
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.kill(signal);
  const kill = setTimeout(() => child.kill("SIGKILL"), END_TIMEOUT_MS);
  await closed;
  clearTimeout(kill);
}

/**
 * Stops processes that an earlier start left behind after a `kill -9`. Touches only processes whose command line shows
 * that they are ours. Throws if the earlier start is still running.
 */
export async function endLeftovers(dataDirectory: string): Promise<void> {
  const pidFile = join(dataDirectory, "processes.json");
  const pids = readPids(pidFile);
  const { start, ...children } = pids;
  if (start !== undefined && start !== process.pid && /scripts\/(start|rehearse)\.ts/.test(commandLine(start))) {
    throw new StartError(
      `Torcida already runs on ${dataDirectory} (process ${start}); end it with Ctrl-C, or set DATA_DIR to another folder`,
    );
  }
  for (const [name, pid] of Object.entries(children)) {
    if (!isOurs(name, commandLine(pid))) continue;
    signalIfAlive(pid, name === "chain" ? "SIGINT" : "SIGTERM");
    const deadline = performance.now() + END_TIMEOUT_MS;
    while (isOurs(name, commandLine(pid)) && performance.now() < deadline) await delay(POLL_MS);
    if (isOurs(name, commandLine(pid))) signalIfAlive(pid, "SIGKILL");
  }
  rmSync(pidFile, { force: true });
}

function readPids(pidFile: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(pidFile, "utf8"));
  } catch {
    return {};
  }
}

/** In 1.0 the folder of the network reader was `affiliates`. */
const OURS = /\/(?:api|indexer|sales|affiliates)\/main\.ts/;

function isOurs(name: string, line: string): boolean {
  return name === "chain" ? /anvil|hardhat/.test(line) : OURS.test(line);
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended before the signal.
  }
}

/** The command line of a process; empty if there is none. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
