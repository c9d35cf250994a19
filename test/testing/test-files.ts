import { globSync, readFileSync } from "node:fs";

/** `npm test`, `npm run test:deep`, `npm run test:release`: each test runs in exactly one. docs/testing.md */
export const TIERS = ["quick", "deep", "release"] as const;
export type Tier = (typeof TIERS)[number];

/** In the title of a test or of its `describe`: only `npm run test:deep` runs it. */
export const DEEP_TAG = "@deep";
/** The same for `npm run test:release`, whatever else its title says. */
export const RELEASE_TAG = "@release";

/** What mocha is told, so that it runs a tier's tests and no others. */
export const SELECTION: Record<Tier, readonly string[]> = {
  quick: ["--grep", `${DEEP_TAG}|${RELEASE_TAG}`, "--invert"],
  deep: ["--grep", `^(?!.*${RELEASE_TAG}).*${DEEP_TAG}`],
  release: ["--grep", RELEASE_TAG],
};

/** The folders of `test/` that belong to a part. */
export const PARTS: Record<string, readonly string[]> = {
  browser: ["browser"],
  system: ["system", "deploy", "faults", "properties"],
  api: ["api"],
  indexer: ["indexer", "database", "process", "upgrade"],
  purchases: ["catalogue", "purchases", "sender", "reconcile", "sales"],
  domain: ["rules", "frontend", "repository"],
};

/** What declares tests for two databases, those on PostgreSQL for another tier. */
const ON_TWO_DATABASES: Partial<Record<Tier, RegExp>> = {
  deep: /\bonBothSystems\(/,
  release: /\b(?:onEitherEngine\(|otherEngineTag\b)|\bonBothSystems\("[^"]*@deep"/,
};
/** What a file declares at its top: a `describe`, or a helper's call, with its title. */
const TOP = /^(?:describe|on[A-Z]\w+|\(.+ \? describe : describe\.skip\))\(\s*(?:"([^"]*)"|`([^`]*)`)?/gm;

/** The files with tests of a tier; many have tests of two. */
export function filesOf(tier: Tier, parts: readonly string[]): string[] {
  const folders = parts.flatMap((part) => PARTS[part] ?? []);
  return folders.flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`).sort()).filter((file) => has(tier, file));
}

function has(tier: Tier, file: string): boolean {
  const text = readFileSync(file, "utf8");
  if (tier === "release") return text.includes(RELEASE_TAG) || isOnTwoDatabases(tier, text);
  const others = tier === "quick" ? [DEEP_TAG, RELEASE_TAG] : [RELEASE_TAG];
  const tops = [...text.matchAll(TOP)].map(([, plain, template]) => plain ?? template ?? "");
  if (tops.length > 0 && tops.every((title) => others.some((tag) => title.includes(tag)))) return false;
  return tier === "quick" || text.includes(DEEP_TAG) || isOnTwoDatabases(tier, text);
}

function isOnTwoDatabases(tier: Tier, text: string): boolean {
  return ON_TWO_DATABASES[tier]?.test(text) ?? false;
}
