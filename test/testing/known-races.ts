import { readFileSync } from "node:fs";

/** Files whose failure beside others a run forgives for a while if they pass alone, as `test/known-races.md` lists them. */
export function knownRaces(): { file: string; since: string; reason: string }[] {
  const lines = readFileSync("test/known-races.md", "utf8").matchAll(/^\* `(\S+)`, (\d{4}-\d{2}-\d{2}): (.+)$/gm);
  return [...lines].map(([, file = "", since = "", reason = ""]) => ({ file, since, reason }));
}
