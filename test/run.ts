/**
 * `npm test` runs every check and every behaviour once, `--deep` (`npm run test:deep`) what that leaves out, `--release`
 * (`npm run test:release`) what takes longest; `--since COMMIT` only those of `--release` whose subject has changed since.
 * Several files at a time, the longest first. The last line is `N passed, N failed`. docs/testing.md
 */

import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, setPriority } from "node:os";
import { join, matchesGlob } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../core/rules/unknown-error.ts";
import { readOptions, refuseOptions } from "../scripts/developer/read-options.ts";
import { chromiumPath } from "./browser/support/chromium.ts";
import { MANY_FILES, OTHER_ENGINE, SUBJECTS } from "./release-subjects.ts";
import { bundlePackages } from "./testing/bundle-packages.ts";
import { migratedDatabase } from "./testing/databases.ts";
import { knownRaces } from "./testing/known-races.ts";
import { startPostgres } from "./testing/postgres.ts";
import { filesOf, PARTS, SELECTION, TIERS, type Tier } from "./testing/test-files.ts";
import { buildWebApp } from "./testing/web-app.ts";

type Task = { name: string; command: string; args: readonly string[]; priority?: number };

/** Lower than the tests' priority: a test waits for other processes, a check only computes. */
const PRIORITY_OF_CHECKS = 12;
/** They run one after another next to the test files, on the processor time that these leave. */
const CHECKS: Record<Tier, readonly Task[]> = {
  quick: [
    npmTask("contracts", "test:contracts"),
    npmTask("types", "types"),
    npmTask("lint", "lint"),
    npmTask("dead code", "dead-code"),
  ],
  deep: [],
  release: [npmTask("contracts", "test:contracts", "--deep")],
};

/** Chromium is unpacked once for them, before their workers start. */
const PARTS_WITH_A_BROWSER = ["browser", "system"];

/** Files at a time: `TEST_WORKERS`, or two for each processor, since tests wait for blocks and processes. */
const WORKERS = Number(process.env.TEST_WORKERS ?? 2 * availableParallelism());

const MOCHA = "node_modules/mocha/bin/mocha.js";
/** Of a call that outlived its system: between two files nobody takes it, and it would end a worker in the middle. */
const LATE_REJECTIONS = "--unhandled-rejections=warn";
const REPORTER = "./test/testing/reporter.ts";
const LOG_DIRECTORY = "data/test-logs";
/** How long each file took here: lines, written by test/testing/hooks.ts. */
const MEASURED = join(LOG_DIRECTORY, "durations.jsonl");
/** Lines, written by test/testing/reporter.ts. */
const FAILURES = join(LOG_DIRECTORY, "failures.jsonl");
type Failure = { file: string; title: string; reason: string };
/** Characters of a failure's reason. */
const SHOWN = 300;
/** How long each file took when somebody asked to remember it: `UPDATE_DURATIONS=1`. */
const DURATIONS = "test/durations.json";
type Durations = Record<Tier, Record<string, number>>;
/**
 * The processes of the run share their compiled code here: a process starts in two thirds of a second instead of one.
 */
const COMPILE_CACHE = join(import.meta.dirname, "../data/compile-cache");
const LOAD_BUNDLED_PACKAGES = join(import.meta.dirname, "testing/load-bundled-packages.ts");
const FAST_START = {
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${pathToFileURL(LOAD_BUNDLED_PACKAGES).href}`,
};
/** A task that hangs is killed with its children and counts as failed. All files together are one task. */
const TASK_TIMEOUT_MS = 60 * 60_000;

type Outcome = Task & { passed: number; failed: number; skipped: number; seconds: number; output: string };

const { values, positionals: wanted } = readOptions({
  options: { deep: { type: "boolean" }, release: { type: "boolean" }, since: { type: "string" } },
  allowPositionals: true,
});
const tier: Tier = values.release ? "release" : values.deep ? "deep" : "quick";
if (values.since !== undefined && tier !== "release") refuseOptions("--since goes with --release alone");
const allChecks = CHECKS[tier];
const known = [...allChecks.map(({ name }) => firstWord(name)), ...Object.keys(PARTS)];
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  refuseOptions(`No such part: ${unknown.join(", ")}. Parts: ${known.join(", ")}`);
}
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(firstWord(name));
const isTouched = values.since === undefined ? () => true : subjectsChangedSince(values.since);
const checks = allChecks.filter(({ name }) => isWanted(name) && isTouched(name));
const parts = Object.keys(PARTS).filter(isWanted);
const files = listFiles();
if (checks.length + files.length === 0) {
  console.log("Nothing to run\n0 passed, 0 failed");
  process.exit(0);
}

mkdirSync(LOG_DIRECTORY, { recursive: true });
for (const file of [MEASURED, FAILURES]) rmSync(file, { force: true });
// Built once; otherwise the tests that start the system in parallel would each build it.
try {
  console.log(`Web app ${await buildWebApp()}`);
  await bundlePackages();
} catch (error) {
  console.log(`${messageOf(error)}\n0 passed, 1 failed`);
  process.exit(1);
}
if (files.length > 0 && parts.some((part) => PARTS_WITH_A_BROWSER.includes(part))) await chromiumPath();
if (files.length > 0) fillCompileCache();
const postgres = files.length > 0 ? await startSharedPostgres() : undefined;
const outcomes: Outcome[] = [];
const before = processorTimes();
try {
  await Promise.all([runInTurn(checks), runInTurn(mochaTasks(files))]);
  await runKnownRacesAlone();
} finally {
  await postgres?.stop();
}

reportDurations();
reportProcessors();
reportFailures();
const reasons = outcomes.flatMap(({ output }) => output.match(/^skipped: .+$/gm) ?? []);
for (const reason of new Set(reasons)) console.log(reason);
const total = (of: "passed" | "failed" | "skipped") => outcomes.reduce((sum, outcome) => sum + outcome[of], 0);
const [passed, failed, skipped] = [total("passed"), total("failed"), total("skipped")];
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
// Not `process.exitCode`: the database's package ends the process with 0 when nothing is left to do.
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function npmTask(name: string, script: string, ...args: string[]): Task {
  return { name, command: "npm", args: ["run", "--silent", script, "--", ...args], priority: PRIORITY_OF_CHECKS };
}

/** Each worker takes the next file as soon as it is done with one. */
function mochaTasks(files: readonly string[], workers = WORKERS): Task[] {
  if (files.length === 0) return [];
  const options = ["--parallel", `--jobs=${workers}`, `--reporter=${REPORTER}`];
  const name = `${files.length} files of ${tier === "quick" ? "" : `${tier} `}tests`;
  return [
    { name, command: process.execPath, args: [LATE_REJECTIONS, MOCHA, ...options, ...SELECTION[tier], ...files] },
  ];
}

/**
 * A file of `test/known-races.md` that failed beside others is run again with nothing beside it, and named if it passes
 * then. Any other that fails has failed.
 */
async function runKnownRacesAlone(): Promise<void> {
  const failures = readLines<Failure>(FAILURES);
  const again = knownRaces().filter(({ file }) => failures.some((failure) => failure.file === file));
  const first = outcomes.find(({ args, failed }) => args.includes(MOCHA) && failed > 0);
  if (!first || again.length === 0) return;
  const others = outcomes.length;
  await runInTurn(
    again.flatMap(({ file }) => mochaTasks([file], 1).map((task) => ({ ...task, name: nameAlone(file) }))),
  );
  const passing = outcomes.splice(others).filter(({ failed }) => failed === 0);
  for (const { file } of again.filter(({ file }) => passing.some(({ name }) => name === nameAlone(file)))) {
    const ofFile = failures.filter((failure) => failure.file === file).length;
    first.passed += ofFile;
    first.failed -= ofFile;
    console.log(`passed only alone: ${file}`);
  }
}

function nameAlone(file: string): string {
  return `${file} again, alone`;
}

/** Whether something that a file or check of `--release` is about has changed since a commit; nothing, if very much has. */
function subjectsChangedSince(commit: string): (name: string) => boolean {
  const { status, stdout, stderr } = spawnSync("git", ["diff", "--name-only", commit, "--"], { encoding: "utf8" });
  if (status !== 0) refuseOptions(`--since ${commit}: ${stderr.trim().split("\n")[0]}`);
  const changed = stdout.split("\n").filter((line) => line !== "");
  if (changed.length > MANY_FILES) {
    console.log(`${changed.length} files have changed since ${commit}: run npm run test:release by hand`);
    return () => false;
  }
  const isOf = (glob: string) => changed.some((file) => matchesGlob(file, glob));
  return (name) => [name, ...(SUBJECTS[name] ?? OTHER_ENGINE)].some(isOf);
}

/** The longest first, so that the run ends with short ones; before them those that nobody has measured. */
function listFiles(): string[] {
  const known = readDurations()[tier];
  const length = (file: string) => known[file] ?? Number.POSITIVE_INFINITY;
  const chosen = filesOf(tier, parts).filter(isTouched);
  return chosen.sort((a, b) => (length(a) === length(b) ? 0 : length(b) - length(a)));
}

function readDurations(): Durations {
  return { quick: {}, deep: {}, release: {}, ...(JSON.parse(readFileSync(DURATIONS, "utf8")) as Partial<Durations>) };
}

function readLines<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

/** A line for each failure, also for one that passed alone: what stands above them may be long. */
function reportFailures(): void {
  for (const { file, title, reason } of readLines<Failure>(FAILURES))
    console.log(`failed: ${file}: ${title}: ${reason.slice(0, SHOWN)}`);
}

/** Prints the ten slowest files; with `UPDATE_DURATIONS=1`, remembers how long each took. */
function reportDurations(): void {
  const measured = Object.fromEntries(readLines<[file: string, ms: number]>(MEASURED));
  const slowest = Object.entries(measured).sort(([, a], [, b]) => b - a);
  console.log("The ten slowest files:");
  for (const [file, ms] of slowest.slice(0, 10)) console.log(`${(ms / 1000).toFixed(0).padStart(4)} s ${file}`);
  if (!process.env.UPDATE_DURATIONS) return;
  const all = { ...readDurations(), [tier]: { ...readDurations()[tier], ...measured } };
  for (const tier of TIERS) {
    const present = Object.entries(all[tier]).filter(([file]) => existsSync(file));
    all[tier] = Object.fromEntries(present.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  writeFileSync(DURATIONS, `${JSON.stringify(all, undefined, 2)}\n`);
}

/** How busy the tests kept the machine: far below 100 %, more workers would end sooner. */
function reportProcessors(): void {
  const now = processorTimes();
  const busy = (100 * (now.busy - before.busy)) / (now.all - before.all);
  console.log(`${WORKERS} workers kept the processors busy for ${busy.toFixed(0)} % of the time`);
}

function processorTimes(): { busy: number; all: number } {
  const sum = (of: readonly number[]) => of.reduce((total, ms) => total + ms, 0);
  const all = sum(cpus().flatMap(({ times }) => Object.values(times)));
  return { all, busy: all - sum(cpus().map(({ times }) => times.idle)) };
}

/**
 * A killed process writes nothing to the cache, and most processes under test are killed; one that rejects its
 * environment exits normally and fills it.
 */
function fillCompileCache(): void {
  const env = { ...process.env, ...FAST_START, PORT: "none", INDEXER_PORT: "none" };
  for (const script of ["api/main.ts", "indexer/main.ts"]) spawnSync(process.execPath, [script], { env });
}

/** One server for all files, each of which creates its own databases on it, most as copies of a migrated one. */
async function startSharedPostgres() {
  const server = await startPostgres({ pooler: false });
  process.env.TEST_DATABASE_URL ??= await server.createDatabase();
  process.env.TEST_TEMPLATE_URL = await migratedDatabase(server);
  return server;
}

function firstWord(name: string): string {
  return name.split(" ")[0] ?? "";
}

async function runInTurn(tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) {
    console.log(`… ${task.name}`);
    const log = join(LOG_DIRECTORY, `${task.name.replaceAll(/[ /]/g, "-")}.log`);
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
    env: {
      ...process.env,
      ...FAST_START,
      TEST_DURATIONS: MEASURED,
      TEST_FAILURES: FAILURES,
      FORCE_COLOR: "0",
      NO_COLOR: "1",
    },
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
  const exitCode = await new Promise<number>((resolve) => {
    child.on("close", (code, signal) => {
      if (signal) keep(Buffer.from(`\n${task.name} was ended by ${signal}\n`));
      resolve(code ?? 1);
    });
  });
  clearTimeout(timer);
  process.off("SIGINT", endGroup);

  const output = Buffer.concat(chunks).toString("utf8");
  const seconds = (performance.now() - started) / 1000;
  return { ...task, ...count(output, exitCode), seconds, output };
}

/** Adds up the runners' closing lines; a check without one counts as one. */
function count(output: string, exitCode: number): { passed: number; failed: number; skipped: number } {
  const sum = (pattern: RegExp) => [...output.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
  const passing = sum(/^\s*(\d+) passing\b/gm);
  const failing = sum(/^\s*(\d+) failing\b/gm);
  const skipped = sum(/^\s*(\d+) pending\b/gm);
  if (exitCode === 0) return { passed: Math.max(1, passing), failed: failing, skipped };
  return { passed: passing, failed: Math.max(1, failing), skipped };
}
