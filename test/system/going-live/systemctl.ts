/**
 * Replaces `systemctl` in a rehearsal: starts and stops the units of this repository as their files say, and prints
 * what it would do for every other unit. UNITS is the folder of unit files; RUN_DIR holds process ids and logs.
 */
import { type StdioOptions, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

const UNITS = "/etc/systemd/system";
const RUN_DIR = process.env.REHEARSAL_RUN ?? "/run/rehearsal";
const STOP_MS = 20_000;

type Unit = {
  environment: Record<string, string>;
  command: string[];
  folder: string;
  type: string;
  successes: number[];
};

const [verb = "", ...rest] = process.argv.slice(2);
const names = rest.filter((one) => !one.startsWith("-")).map((one) => one.replace(/\.service$/, ""));
mkdirSync(RUN_DIR, { recursive: true });
for (const name of names) act(name);

function act(name: string): void {
  const file = join(UNITS, `${name}.service`);
  if (name.endsWith(".timer") || !existsSync(file)) {
    console.log(`(systemctl ${verb} ${name})`);
    return;
  }
  if (verb === "stop" || verb === "restart") stop(name);
  if (["start", "restart"].includes(verb) || (verb === "enable" && rest.includes("--now"))) start(name, readUnit(file));
}

function start(name: string, { environment, command, folder, type, successes }: Unit): void {
  const [program = "", ...args] = command;
  const log = openSync(join(RUN_DIR, `${name}.log`), "a");
  const stdio: StdioOptions = ["ignore", log, log];
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...environment }, stdio };
  if (type === "oneshot") {
    const { status } = spawnSync(program, args, options);
    if (status !== 0 && !successes.includes(status ?? -1)) {
      console.error(`${name} failed with ${status}; see ${RUN_DIR}/${name}.log`);
      process.exitCode = 1;
    }
    return;
  }
  const child = spawn(program, args, { ...options, detached: true });
  writeFileSync(join(RUN_DIR, `${name}.pid`), String(child.pid));
  child.unref();
}

function stop(name: string): void {
  const file = join(RUN_DIR, `${name}.pid`);
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  const until = Date.now() + STOP_MS;
  for (let signal: NodeJS.Signals | 0 = "SIGTERM"; Date.now() < until; signal = 0) {
    try {
      process.kill(pid, signal);
    } catch {
      break;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  rmSync(file);
}

/** Like systemd: a later Environment= wins, and an EnvironmentFile= overrides all of them. */
function readUnit(file: string): Unit {
  const values = (key: string) =>
    [...readFileSync(file, "utf8").matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map((match) => match[1] ?? "");
  const environment: Record<string, string> = {};
  for (const pair of values("Environment").flatMap((line) => line.split(" "))) {
    const at = pair.indexOf("=");
    environment[pair.slice(0, at)] = pair.slice(at + 1);
  }
  for (const folder of values("StateDirectory")) mkdirSync(join("/var/lib", folder), { recursive: true, mode: 0o700 });
  for (const path of values("EnvironmentFile")) Object.assign(environment, parseEnv(readFileSync(path, "utf8")));
  return {
    environment,
    command: (values("ExecStart")[0] ?? "").split(" "),
    folder: values("WorkingDirectory")[0] ?? "/",
    type: values("Type")[0] ?? "exec",
    successes: values("SuccessExitStatus").flatMap((line) => line.split(" ").map(Number)),
  };
}
