import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { TorcidaError } from "../../core/rules/torcida-error.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";

/** The message for a file that cannot be written: the disk is full, or the folder is not ours. */
export function unwritable(file: string, error: unknown): string {
  return `${file} cannot be written (${messageOf(error)}): make room or correct its rights, or set DATA_DIR to another folder`;
}

/** Runs a command with its output in a log file; throws its last output if it fails. */
export function runToEnd(
  command: string,
  args: readonly string[],
  logFile: string,
  env?: NodeJS.ProcessEnv,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const log = createWriteStream(logFile);
    log.on("error", (error) => {
      child.kill();
      reject(new StartError(unwritable(logFile, error)));
    });
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", ...env },
    });
    // It never outlives this process, however this one ends.
    const endWithUs = () => child.kill("SIGKILL");
    process.once("exit", endWithUs);
    let lastWords = "";
    const record = (chunk: Buffer) => {
      log.write(chunk);
      lastWords = (lastWords + chunk.toString("utf8")).slice(-2_000);
    };
    child.stdout.on("data", record);
    child.stderr.on("data", record);
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("exit", endWithUs);
      log.end();
      if (code === 0) resolve();
      else reject(new StartError(`${lastWords.trim()}\n(the whole log is in ${logFile})`));
    });
  });
}

/** The system cannot start on this machine or in this folder. */
export class StartError extends TorcidaError {
  override readonly docs = "docs/product.md#local-start";
}
