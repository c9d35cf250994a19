/** Runs every check and every test, two in parallel, and ends with one line: `N passed, N failed`. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { buildWebApp } from "../test/testing/web-app.ts";

type Task = { name: string; npmScript: string };

/** The contracts first, because others deploy what they compile; then the longest, so that a short task ends last. */
const TASKS: readonly Task[] = [
  { name: "contracts", npmScript: "test:contracts" },
  { name: "browser", npmScript: "test:browser" },
  { name: "system and faults", npmScript: "test:system" },
  { name: "api", npmScript: "test:api" },
  { name: "indexer and database", npmScript: "test:indexer" },
  { name: "purchases", npmScript: "test:purchases" },
  { name: "domain", npmScript: "test:domain" },
  { name: "types", npmScript: "types" },
  { name: "lint", npmScript: "lint" },
  { name: "dead code", npmScript: "dead-code" },
];

const LOG_DIRECTORY = "data/test-logs";
/** A task that hangs is killed with its children and counts as failed. */
const TASK_TIMEOUT_MS = 25 * 60_000;

type Outcome = Task & { passed: number; failed: number; seconds: number; output: string };

const wanted = process.argv.slice(2);
const queue = TASKS.filter((task) => wanted.length === 0 || wanted.includes(task.name.split(" ")[0] ?? ""));
if (queue.length === 0) {
  console.error(
    `No such part: ${wanted.join(", ")}. Parts: ${TASKS.map((task) => task.name.split(" ")[0]).join(", ")}`,
  );
  process.exit(2);
}

mkdirSync(LOG_DIRECTORY, { recursive: true });
// Built once; otherwise the tests that start the system in parallel would each build it.
try {
  console.log(`Web app ${await buildWebApp()}`);
} catch (error) {
  console.log(`${(error as Error).message}\n0 passed, 1 failed`);
  process.exit(1);
}
const outcomes: Outcome[] = [];
const lanes = Math.max(1, Math.min(2, availableParallelism()));
await Promise.all(Array.from({ length: lanes }, runLane));

const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);

async function runLane(): Promise<void> {
  for (let task = queue.shift(); task; task = queue.shift()) {
    console.log(`… ${task.name}`);
    const outcome = await run(task);
    outcomes.push(outcome);
    const log = join(LOG_DIRECTORY, `${task.npmScript.replace(":", "-")}.log`);
    writeFileSync(log, outcome.output);
    const mark = outcome.failed === 0 ? "✓" : "✗";
    const count = `${outcome.passed} passed, ${outcome.failed} failed, ${outcome.seconds.toFixed(0)} s`;
    console.log(`${mark} ${task.name}: ${count} (${log})`);
    if (outcome.failed > 0) console.log(outcome.output.split("\n").slice(-200).join("\n"));
  }
}

async function run(task: Task): Promise<Outcome> {
  const started = performance.now();
  const child = spawn("npm", ["run", "--silent", task.npmScript], {
    stdio: ["ignore", "pipe", "pipe"],
    // In its own process group, so that a task that hangs can be killed with its children.
    detached: true,
    env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" },
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const timer = setTimeout(() => {
    chunks.push(Buffer.from(`\n${task.name} was killed after ${TASK_TIMEOUT_MS / 60_000} minutes\n`));
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, TASK_TIMEOUT_MS);
  const endGroup = () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    process.exit(130);
  };
  process.once("SIGINT", endGroup);
  const exitCode = await new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? 1)));
  clearTimeout(timer);
  process.off("SIGINT", endGroup);

  const output = Buffer.concat(chunks).toString("utf8");
  const seconds = (performance.now() - started) / 1000;
  return { ...task, ...count(output, exitCode), seconds, output };
}

/** Adds up the runners' closing lines; a check without one counts as one. */
function count(output: string, exitCode: number): { passed: number; failed: number } {
  const sum = (pattern: RegExp) => [...output.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
  const passing = sum(/^\s*(\d+) passing\b/gm);
  const failing = sum(/^\s*(\d+) failing\b/gm);
  if (exitCode === 0) return { passed: Math.max(1, passing), failed: failing };
  return { passed: passing, failed: Math.max(1, failing) };
}
