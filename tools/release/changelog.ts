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
