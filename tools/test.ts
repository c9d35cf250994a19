/** Runs every check and every test, several files at a time, and ends with one line: `N passed, N failed`. */

import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../domain/unknown-error.ts";
import { chromiumPath } from "../test/browser/support/chromium.ts";
import { bundlePackages } from "../test/testing/bundle-packages.ts";
import { startPostgres } from "../test/testing/postgres.ts";
import { buildWebApp } from "../test/testing/web-app.ts";

type Task = { name: string; command: string; args: readonly string[]; priority?: number };

/** Lower than the tests' priority: a test waits for other processes, a check only computes. */
const PRIORITY_OF_CHECKS = 12;
/** They run one after another next to the test files, on the processor time that these leave. */
const CHECKS: readonly Task[] = [
  npmTask("contracts", "test:contracts"),
  npmTask("types", "types"),
  npmTask("lint", "lint"),
  npmTask("dead code", "dead-code"),
];

/** The folders of `test/` that belong to a part. */
const PARTS: Record<string, readonly string[]> = {
  browser: ["browser"],
  system: ["system", "ops", "faults", "properties"],
  api: ["api"],
  indexer: ["indexer", "database", "platform"],
  purchases: ["catalogue", "purchases", "sender", "reconcile", "affiliates"],
  domain: ["domain", "frontend", "repository"],
};

/** Chromium is unpacked once for them, before their workers start. */
const PARTS_WITH_A_BROWSER = ["browser", "system"];

/** The longest files start first, so that the run ends with short ones. The order affects only the run's duration. */
const LONGEST = [
  "faults/alerts",
  "browser/slow",
  "system/deploy",
  "system/going-live",
  "browser/accessibility",
  "faults/kill",
  "faults/sale-histories",
  "faults/node",
  "faults/nonces",
  "browser/journey",
  "browser/panel",
  "browser/panel-keyboard",
  "faults/lying-fallback",
  "faults/life",
  "faults/money",
  "api/reconcile",
  "affiliates/reader",
  "faults/limits",
  "faults/separate-keys",
  "system/shell-journey",
  "api/purchases",
  "faults/storage",
  "browser/wallet",
  "browser/admin",
  "browser/failures",
  "system/rehearse",
  "indexer/chaos",
  "indexer/failover",
  "affiliates/papers",
  "api/openapi",
  "affiliates/ledger",
  "browser/panel-roles",
  "properties/purchases",
  "system/image",
  "system/operator-commands",
  "browser/wallet-connect",
  "faults/backup",
  "browser/stores",
  "browser/auth",
  "database/plans",
  "api/catalogue",
  "api/affiliate",
  "browser/dashboard",
  "browser/session",
  "faults/key-rotation",
  "system/rolling-upgrade",
  "api/by-hand",
  "api/calls",
  "indexer/indexing",
  "system/catalog",
  "indexer/verify-and-reset",
  "system/successor",
  "platform/rpc/node-pool",
  "properties/sales",
].map((name) => `test/${name}.test.ts`);

/** Files at a time. Tests wait for blocks or processes more than half of their time. */
const WORKERS = 4;

const MOCHA = "node_modules/mocha/bin/mocha.js";
const LOG_DIRECTORY = "data/test-logs";
/**
 * The processes of the run share their compiled code here: a process starts in two thirds of a second instead of one.
 */
const COMPILE_CACHE = join(import.meta.dirname, "../data/compile-cache");
const LOAD_BUNDLED_PACKAGES = join(import.meta.dirname, "../test/testing/load-bundled-packages.ts");
const FAST_START = {
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${pathToFileURL(LOAD_BUNDLED_PACKAGES).href}`,
};
/** A task that hangs is killed with its children and counts as failed. All files together are one task. */
const TASK_TIMEOUT_MS = 60 * 60_000;

type Outcome = Task & { passed: number; failed: number; seconds: number; output: string };

const known = [...CHECKS.map(({ name }) => firstWord(name)), ...Object.keys(PARTS)];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(", ")}. Parts: ${known.join(", ")}`);
  process.exit(2);
}
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(firstWord(name));
const checks = CHECKS.filter(({ name }) => isWanted(name));
const parts = Object.keys(PARTS).filter(isWanted);

mkdirSync(LOG_DIRECTORY, { recursive: true });
// Built once; otherwise the tests that start the system in parallel would each build it.
try {
  console.log(`Web app ${await buildWebApp()}`);
  await bundlePackages();
} catch (error) {
  console.log(`${messageOf(error)}\n0 passed, 1 failed`);
  process.exit(1);
}
if (parts.some((part) => PARTS_WITH_A_BROWSER.includes(part))) await chromiumPath();
if (parts.length > 0) fillCompileCache();
const postgres = parts.length > 0 ? await startSharedPostgres() : undefined;
const outcomes: Outcome[] = [];
try {
  await Promise.all([runInTurn(checks), runInTurn(mochaTasks(listFiles()))]);
} finally {
  await postgres?.stop();
}

const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
// Not `process.exitCode`: the database's package ends the process with 0 when nothing is left to do.
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function npmTask(name: string, script: string): Task {
  return { name, command: "npm", args: ["run", "--silent", script], priority: PRIORITY_OF_CHECKS };
}

/** Each worker takes the next file as soon as it is done with one. */
function mochaTasks(files: readonly string[]): Task[] {
  if (files.length === 0) return [];
  const options = ["--parallel", `--jobs=${WORKERS}`];
  return [{ name: `${files.length} files of tests`, command: process.execPath, args: [MOCHA, ...options, ...files] }];
}

function listFiles(): string[] {
  const all = parts
    .flatMap((part) => PARTS[part] ?? [])
    .flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`).sort());
  return [...LONGEST.filter((file) => all.includes(file)), ...all.filter((file) => !LONGEST.includes(file))];
}

/**
 * A killed process writes nothing to the cache, and most processes under test are killed; one that rejects its
 * environment exits normally and fills it.
 */
function fillCompileCache(): void {
  const env = { ...process.env, ...FAST_START, PORT: "none", INDEXER_PORT: "none" };
  for (const script of ["api/main.ts", "indexer/main.ts"]) spawnSync(process.execPath, [script], { env });
}

/** One server for all files; each file creates its own databases on it. */
async function startSharedPostgres() {
  if (process.env.TEST_DATABASE_URL) return undefined;
  const server = await startPostgres({ pooler: false });
  process.env.TEST_DATABASE_URL = await server.createDatabase();
  return server;
}

function firstWord(name: string): string {
  return name.split(" ")[0] ?? "";
}

async function runInTurn(tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) {
    console.log(`… ${task.name}`);
    const log = join(LOG_DIRECTORY, `${task.name.replaceAll(" ", "-")}.log`);
    const outcome = await run(task, log);
    outcomes.push(outcome);
    const mark = outcome.failed === 0 ? "✓" : "✗";
    const count = `${outcome.passed} passed, ${outcome.failed} failed, ${outcome.seconds.toFixed(0)} s`;
    console.log(`${mark} ${task.name}: ${count} (${log})`);
    if (outcome.failed > 0) console.log(outcome.output.split("\n").slice(-200).join("\n"));
  }
}

/** Its output is written to `log` immediately, so that a long run can be followed. */
async function run(task: Task, log: string): Promise<Outcome> {
  const started = performance.now();
  const child = spawn(task.command, task.args, {
    stdio: ["ignore", "pipe", "pipe"],
    // In its own process group, so that a task that hangs can be killed with its children.
    detached: true,
    env: { ...process.env, ...FAST_START, FORCE_COLOR: "0", NO_COLOR: "1" },
  });
  if (child.pid !== undefined && task.priority !== undefined) setPriority(child.pid, task.priority);
  const chunks: Buffer[] = [];
  writeFileSync(log, "");
  const keep = (chunk: Buffer) => {
    chunks.push(chunk);
    appendFileSync(log, chunk);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const timer = setTimeout(() => {
    keep(Buffer.from(`\n${task.name} was killed after ${TASK_TIMEOUT_MS / 60_000} minutes\n`));
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
