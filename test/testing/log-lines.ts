import { expect } from "chai";

export type LogLine = { level: string; time: string; process: string; msg: string } & Record<string, unknown>;

/** The log lines in a process's output; each has the one format. */
export function logLinesOf(output: string): LogLine[] {
  return output.split("\n").flatMap((text) => {
    if (!text.startsWith("{")) return [];
    const line = JSON.parse(text) as LogLine;
    expect(line.level, text).to.be.oneOf(["debug", "info", "warn", "error", "fatal"]);
    expect(line.time, text).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(line.process, text).to.be.oneOf(["api", "indexer", "affiliates"]);
    expect(line.msg, text).to.be.a("string");
    return [line];
  });
}
