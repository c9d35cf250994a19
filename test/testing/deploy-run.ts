import { type ChildProcess, spawn } from "node:child_process";
import { expect } from "chai";
import { runDeploy } from "../../scripts/deploy.ts";
import { bareEnvironment } from "./bare-environment.ts";
import { commandHere } from "./command-here.ts";

export type DeployRun = { code: number | null; output: string };
export type DeployProcess = { child: ChildProcess; output(): string; ended: Promise<DeployRun> };

/** Runs the real script as an operator does, with only this environment (besides what makes Node start faster). */
export function startDeploy(args: readonly string[], environment: Record<string, string>): DeployProcess {
  const child = spawn(process.execPath, ["scripts/deploy.ts", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...bareEnvironment(), ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<DeployRun>((resolve) => child.once("close", (code) => resolve({ code, output })));
  return { child, output: () => output, ended };
}

/** The same command in this process: what it does does not depend on a process of its own, which takes a second to start. */
export function deployHere(
  args: readonly string[],
  environment: Record<string, string>,
): Pick<DeployProcess, "output" | "ended"> {
  return commandHere(runDeploy, args, environment);
}

/** Fails if the output contains a secret, in any spelling. */
export function expectSecretsKept(output: string, secrets: readonly string[]): void {
  for (const secret of secrets) expect(output.toLowerCase()).not.to.include(secret.replace(/^0x/, "").toLowerCase());
}
