import pino from "pino";

export type Logger = pino.Logger;
export type ProcessName = "api" | "indexer" | "affiliates" | "command";

/** JSON lines on standard output, the same in every process. Never a name, an e-mail or a secret. docs/operations.md#logs */
export function openLog(level: string, process: ProcessName = "command"): Logger {
  return pino({
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
