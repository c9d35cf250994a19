const SEMANTIC_VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

export type Commit = { hash: string; type: string; room: string; isBreaking: boolean; subject: string };

const LINE = /^(?<hash>[0-9a-f]+) (?<type>[a-z]+)(?:\((?<room>[^)]+)\))?(?<breaking>!)?: (?<subject>.+)$/;
/** The commit types in the changelog, in this order; others are left out. */
const SECTIONS = { feat: "Added", fix: "Fixed", perf: "Faster", docs: "Documented" } as const;

/** Parses `hash type(room)!: subject`; undefined for any other line. */
export function parseCommit(line: string): Commit | undefined {
  const groups = LINE.exec(line)?.groups;
  if (!groups) return undefined;
  const { hash = "", type = "", room = "", breaking, subject = "" } = groups;
  return { hash, type, room, isBreaking: breaking === "!", subject };
}

export function changelogSection(version: string, at: Date, commits: readonly Commit[]): string {
  const bullet = ({ room, subject, hash }: Commit) => `* ${room ? `**${room}**: ` : ""}${subject} (${hash})`;
  const block = (heading: string, of: readonly Commit[]) =>
    of.length === 0 ? [] : [`### ${heading}\n\n${of.map(bullet).join("\n")}\n`];
  const blocks = [
    ...block(
      "Changes that need your attention",
      commits.filter((commit) => commit.isBreaking),
    ),
    ...Object.entries(SECTIONS).flatMap(([type, heading]) =>
      block(
        heading,
        commits.filter((commit) => commit.type === type && !commit.isBreaking),
      ),
    ),
  ];
  return [`## ${version} (${at.toISOString().slice(0, 10)})\n`, ...blocks].join("\n");
}

/** The section that was written for a version by hand, `## 1.2.0 (unreleased)`, and the text without it. */
export function takeWritten(text: string, version: string, at: Date): { section: string; rest: string } | undefined {
  const heading = `## ${version} (unreleased)\n`;
  const from = text.indexOf(heading);
  if (from < 0) return undefined;
  const next = text.indexOf("\n## ", from);
  const end = next < 0 ? text.length : next + 1;
  const body = text.slice(from + heading.length, end).trimEnd();
  return {
    section: `## ${version} (${at.toISOString().slice(0, 10)})\n${body}\n`,
    rest: text.slice(0, from) + text.slice(end),
  };
}

/** The text with a section before all earlier ones, and after what stands above them. */
export function withSection(text: string, section: string): string {
  const earlier = text.search(/^## /m);
  const head = (earlier < 0 ? text : text.slice(0, earlier)).trimEnd();
  return `${head}\n\n${section}${earlier < 0 ? "" : `\n${text.slice(earlier)}`}`;
}

/** Why a version cannot be released; undefined if it can. `tags` are those of earlier releases, such as v1.2.0. */
export function versionMistake(version: string, tags: readonly string[]): string | undefined {
  const wanted = numbersOf(version);
  if (!wanted) return `${version || "--version"} is not a version such as 1.2.0`;
  const released = tags.filter((tag) => numbersOf(tag.slice(1)) !== undefined);
  const highest = released.toSorted((a, b) => compare(numbersOf(a.slice(1)), numbersOf(b.slice(1)))).at(-1);
  if (highest === undefined || compare(wanted, numbersOf(highest.slice(1))) > 0) return undefined;
  return `${version} is not above ${highest}, which is released: choose a higher version`;
}

function numbersOf(version: string): number[] | undefined {
  return SEMANTIC_VERSION.exec(version)?.slice(1).map(Number);
}

function compare(one: number[] = [], other: number[] = []): number {
  const difference = one.findIndex((number, index) => number !== other[index]);
  return difference < 0 ? 0 : (one[difference] ?? 0) - (other[difference] ?? 0);
}
