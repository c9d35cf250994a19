/** Prepares a release locally and pushes nothing: `npm run release -- --version 1.2.0 [--dry-run]`. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type Commit,
  changelogSection,
  parseCommit,
  takeWritten,
  versionMistake,
  withSection,
} from "./release/changelog.ts";

const ROOT = join(import.meta.dirname, "../..");
const CHANGELOG = join(ROOT, "CHANGELOG.md");
const MANIFESTS = join(ROOT, "deploy/kubernetes.yaml");
const HEADING = "# Changelog\n";

try {
  const { values } = parseArgs({ options: { version: { type: "string" }, "dry-run": { type: "boolean" } } });
  const version = values.version ?? "";
  const mistake = versionMistake(version, git("tag", "--list", "v*").split("\n"));
  if (mistake) throw new Error(`${mistake}\nnpm run release -- --version 1.2.0 [--dry-run]`);
  const text = existsSync(CHANGELOG) ? readFileSync(CHANGELOG, "utf8") : HEADING;
  const { section, rest } = takeWritten(text, version, new Date()) ?? {
    section: changelogSection(version, new Date(), commitsSinceLastTag()),
    rest: text,
  };
  if (values["dry-run"]) console.log(section);
  else release(version, section, rest);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function release(version: string, section: string, rest: string): void {
  if (git("status", "--porcelain") !== "")
    throw new Error("The working tree is not clean: commit first, or preview with --dry-run");
  writeFileSync(CHANGELOG, withSection(rest, section));
  for (const file of ["package.json", "package-lock.json"]) setVersion(file, version);
  const manifests = readFileSync(MANIFESTS, "utf8");
  writeFileSync(MANIFESTS, manifests.replaceAll(/(torcida(?::|-migrate-))\d+\.\d+\.\d+/g, `$1${version}`));
  execFileSync(process.execPath, ["scripts/developer/licences.ts"], { cwd: ROOT, stdio: "inherit" });
  git("add", "CHANGELOG.md", "package.json", "package-lock.json", MANIFESTS);
  git("commit", "--message", `chore(release): ${version}`);
  // Else git takes the headings for comments.
  git("tag", "--annotate", `v${version}`, "--cleanup=verbatim", "--message", section);
  console.log(`v${version} is tagged. Look at it with git show v${version}; then push the branch and the tag.`);
}

/** The first version in both files is the package's own; the lock file contains it twice. */
function setVersion(file: string, version: string): void {
  const path = join(ROOT, file);
  const content: { version: string; packages?: Record<string, { version: string }> } = JSON.parse(
    readFileSync(path, "utf8"),
  );
  content.version = version;
  const root = content.packages?.[""];
  if (root) root.version = version;
  writeFileSync(path, `${JSON.stringify(content, undefined, 2)}\n`);
}

function commitsSinceLastTag(): Commit[] {
  const tags = git("tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD").split("\n").filter(Boolean);
  const range = tags[0] ? [`${tags[0]}..HEAD`] : [];
  const subjects = git("log", "--no-merges", "--format=%h %s", ...range).split("\n");
  return subjects.flatMap((line) => parseCommit(line) ?? []);
}

function git(...parameters: string[]): string {
  return execFileSync("git", parameters, { cwd: ROOT, encoding: "utf8" }).trim();
}
