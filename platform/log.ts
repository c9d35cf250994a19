import pino from "pino";

export type Logger = pino.Logger;

/** JSON lines on standard output; each names its process. */
export function openLog(level: string, process = "command"): Logger {
  return pino({ level, base: { process }, timestamp: pino.stdTimeFunctions.isoTime });
}
