import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** The files to run first. */
export type Question = { first: readonly string[] };
/** The first test that failed; nothing if all passed. */
export type Answer = { failed?: string };

/** A fresh process after this many runs, because snapshots and chains accumulate. */
const RUNS_PER_PROCESS = 60;
/** Only a guard against hanging tests: on a busy machine a run takes minutes. */
const TIMEOUT_MS = 900_000;

/** The behaviour tests, loaded once and run repeatedly, because starting Hardhat takes longer than most runs. */
export class WarmTests {
  readonly #project: string;
  readonly #files: readonly string[];
  #process: ChildProcess | undefined;
  #runs = 0;

  constructor(project: string, files: readonly string[]) {
    this.#project = project;
    this.#files = files;
  }

  /** Runs the tests on the current artifacts until one fails. */
  async run(first: readonly string[] = []): Promise<Answer> {
    if (this.#runs++ % RUNS_PER_PROCESS === 0) this.stop();
    this.#process ??= this.#start();
    const child = this.#process;
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    const answered = new AbortController();
    const { signal } = answered;
    child.send({ first } satisfies Question);
    const [answer]: Answer[] = await Promise.race([
      once(child, "message", { signal }),
      once(child, "exit", { signal }).then(() => []),
    ]);
    answered.abort();
    clearTimeout(timer);
    if (answer) return answer;
    this.#process = undefined;
    return { failed: "(the process of the tests ended)" };
  }

  stop(): void {
    this.#process?.removeAllListeners();
    this.#process?.kill("SIGKILL");
    this.#process = undefined;
  }

  #start(): ChildProcess {
    const env = { ...process.env, QUICK_COMPILE: "1" };
    return fork(new URL("./warm-tests-process.ts", import.meta.url), this.#files, {
      cwd: this.#project,
      env,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  }
}
