import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { until } from "../../testing/until.ts";

const run = promisify(execFile);

export type Running = { pid: number; startMs: number; stop(): Promise<void> };

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts one of the product's processes; it ends with this one. */
export function launch(script: string, environment: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [script], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...environment },
  });
  children.add(child);
  return child;
}

/** The same, and waits until it is ready. */
export async function start(script: string, environment: Record<string, string>, readyUrl: string): Promise<Running> {
  const started = performance.now();
  const child = launch(script, environment);
  await until(
    `${script} is ready`,
    async () => {
      if (child.exitCode !== null) throw new Error(`${script} ended with ${child.exitCode}`);
      const response = await fetch(readyUrl).catch(() => undefined);
      return response?.status === 200;
    },
    600_000,
  );
  return { pid: child.pid ?? 0, startMs: performance.now() - started, stop: () => end(child) };
}

export async function runScript(script: string, environment: Record<string, string>, args: string[] = []) {
  await run(process.execPath, [script, ...args], { env: { ...process.env, ...environment } });
}

/** What a process holds now, or held at most. */
export function memoryMb(pid: number, what: "VmRSS" | "VmHWM"): number {
  const [, kib] = new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kib) / 1_024);
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
