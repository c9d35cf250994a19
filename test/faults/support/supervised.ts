import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../testing/until.ts";

export type Supervised = {
  name: string;
  /** The URL of its health check. */
  url: string;
  pid(): number;
  /** Its output, over all restarts. */
  output(): string;
  /** `kill -9`; it restarts unless it is stopped. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Ends it without a restart; returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Starts it after `stop`, optionally with other variables. */
  start(extra?: Record<string, string>): void;
  /** Resolves when `path` returns 200. */
  ready(path?: string): Promise<void>;
  /** The number of unexpected exits. */
  crashes(): number;
  /** The exit code or signal of each of them, and what it said last. */
  lastWords(): string;
};

type Options = { name: string; script: string; url: string; environment: Record<string, string> };

const RESTART_MS = 200;

/** A process that restarts when it ends, as under a service manager. */
export function supervise({ name, script, url, environment }: Options): Supervised {
  let child: ChildProcess | undefined;
  let isWanted = true;
  let isBeingKilled = false;
  let crashes = 0;
  let lastWords = "";
  let output = "";
  let extra: Record<string, string> = {};

  const launch = () => {
    const started = spawn(process.execPath, [script], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment, ...extra },
    });
    child = started;
    const record = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-2_000_000);
    };
    started.stdout.on("data", record);
    started.stderr.on("data", record);
    started.on("close", async (code, signal) => {
      if (child !== started) return;
      child = undefined;
      if (!isWanted) return;
      if (!isBeingKilled) {
        crashes++;
        lastWords += `${name} ended by ${signal ?? `exit code ${code}`}:\n${output.slice(-1_500)}\n`;
      }
      isBeingKilled = false;
      await delay(RESTART_MS);
      if (isWanted && child === undefined) launch();
    });
  };
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    if (!running) return null;
    const closed = new Promise<number | null>((resolve) => running.once("close", (code) => resolve(code)));
    running.kill(signal);
    return closed;
  };

  return {
    name,
    url,
    pid: () => child?.pid ?? 0,
    output: () => output,
    async kill() {
      isBeingKilled = child !== undefined;
      await end("SIGKILL");
    },
    stop(signal = "SIGTERM") {
      isWanted = false;
      return end(signal);
    },
    start(variables = {}) {
      extra = variables;
      isWanted = true;
      if (child === undefined) launch();
    },
    async ready(path = "/readyz") {
      try {
        await until(`${name} is ready`, async () => (await fetch(`${url}${path}`)).ok);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${output.slice(-3_000)}`);
      }
    },
    crashes: () => crashes,
    lastWords: () => lastWords,
  };
}
