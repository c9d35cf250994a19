import pino from "pino";

export type Logger = pino.Logger;
export type ProcessName = "api" | "indexer" | "affiliates" | "command";

/**
 * JSON lines on standard output, in the same format for every process. Never log a name, an e-mail address or a secret.
 * docs/operations.md#logs
 */
export function openLog(level: string, process: ProcessName = "command"): Logger {
  return pino({
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
