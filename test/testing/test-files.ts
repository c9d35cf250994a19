import { globSync, readFileSync } from "node:fs";

/** In the title of a test or of its `describe`: only `npm run test:deep` runs it. */
export const DEEP_TAG = "@deep";

/** The folders of `test/` that belong to a part. */
export const PARTS: Record<string, readonly string[]> = {
  browser: ["browser"],
  system: ["system", "ops", "faults", "properties"],
  api: ["api"],
  indexer: ["indexer", "database", "platform", "upgrade"],
  purchases: ["catalogue", "purchases", "sender", "reconcile", "affiliates"],
  domain: ["domain", "frontend", "repository"],
};

/** What declares tests for two databases, one of them deep. */
const ON_TWO_DATABASES = /\b(?:(?:onEitherEngine|onBothSystems)\(|otherEngineTag\b)/;
/** What a file declares at its top: a `describe`, or a helper's call, with its title. */
const TOP = /^(?:describe|on[A-Z]\w+|\(.+ \? describe : describe\.skip\))\(\s*(?:"([^"]*)"|`([^`]*)`)?/gm;

/** The files with tests that `npm test` (`quick`) or `npm run test:deep` runs; many have both kinds. */
export function filesOf(depth: "quick" | "deep", parts: readonly string[]): string[] {
  const folders = parts.flatMap((part) => PARTS[part] ?? []);
  return folders.flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`).sort()).filter((file) => has(depth, file));
}

function has(depth: "quick" | "deep", file: string): boolean {
  const text = readFileSync(file, "utf8");
  if (depth === "deep") return text.includes(DEEP_TAG) || ON_TWO_DATABASES.test(text);
  const tops = [...text.matchAll(TOP)];
  return tops.length === 0 || !tops.every(([, plain, template]) => (plain ?? template ?? "").includes(DEEP_TAG));
}
