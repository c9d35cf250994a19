/** What a change costs a reader: how many files it touches, as git remembers. */
import { execFileSync } from "node:child_process";

const KINDS = ["fix", "feat"] as const;
/** What runs; tests and documents are beside it. */
const SOURCE = /^(?:api|contracts|core|frontend|indexer|scripts)\//;
const LAST = 400;

/** Of the last so many changes of a kind: the median of the files that one touches, of all files and of those that run. */
export type Touched = { kind: (typeof KINDS)[number]; changes: number; files: number; source: number };

/** By the commits of `directory`, whose subjects begin with their kind. */
export function filesTouched(directory: string): Touched[] {
  const log = execFileSync("git", ["log", "--no-merges", "--name-only", "--format=%x00%s"], {
    cwd: directory,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const commits = log.split("\0").map((text) => text.split("\n").filter((line) => line !== ""));
  return KINDS.map((kind) => {
    const ofKind = commits.filter(([subject = ""]) => new RegExp(`^${kind}\\b`).test(subject)).slice(0, LAST);
    const touched = ofKind.map(([, ...files]) => files);
    return {
      kind,
      changes: touched.length,
      files: median(touched.map((files) => files.length)),
      source: median(touched.map((files) => files.filter((file) => SOURCE.test(file)).length)),
    };
  });
}

function median(numbers: number[]): number {
  return numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
