import pino from "pino";

export type Logger = pino.Logger;

/** JSON lines on standard output. */
export function openLog(level: string): Logger {
  return pino({ name: "indexer", level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}
