import type { Variables } from "../../core/process/environment.ts";
import type { Terminal } from "../../scripts/operator/environment.ts";

type Command<Code extends number> = (args: readonly string[], env: Variables, terminal: Terminal) => Promise<Code>;

/**
 * Runs a script's command in this process. Records are read where `DEPLOYMENTS_DIR` says, which is the process's: only
 * commands with the same one can run at a time.
 */
export function commandHere<Code extends number>(
  command: Command<Code>,
  args: readonly string[],
  environment: Record<string, string>,
): { output(): string; ended: Promise<{ code: Code; output: string }> } {
  let output = "";
  const line = (text: string) => {
    output += `${text}\n`;
  };
  const run = async () => {
    const { DEPLOYMENTS_DIR } = process.env;
    if (environment.DEPLOYMENTS_DIR) process.env.DEPLOYMENTS_DIR = environment.DEPLOYMENTS_DIR;
    try {
      return { code: await command(args, environment, { log: line, error: line }), output };
    } finally {
      if (DEPLOYMENTS_DIR === undefined) delete process.env.DEPLOYMENTS_DIR;
      else process.env.DEPLOYMENTS_DIR = DEPLOYMENTS_DIR;
    }
  };
  return { output: () => output, ended: run() };
}
