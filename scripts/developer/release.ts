/**
 * Prepares a release locally and pushes nothing: `npm run release -- --version 1.2.0 [--dry-run]`. Its text is the section
 * `## 1.2.0 (unreleased)` of CHANGELOG.md, which it dates.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const CHANGELOG = join(ROOT, "CHANGELOG.md");
const MANIFESTS = join(ROOT, "deploy/kubernetes.yaml");

try {
  const { values } = parseArgs({ options: { version: { type: "string" }, "dry-run": { type: "boolean" } } });
  release(values.version ?? "", values["dry-run"] ?? false);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function release(version: string, isTried: boolean): void {
  if (!/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version))
    throw new Error(
      `${version || "--version"} is not a version such as 1.2.0\nnpm run release -- --version 1.2.0 [--dry-run]`,
    );
  const [highest = ""] = run("git", "tag", "--list", "v[0-9]*.[0-9]*.[0-9]*", "--sort=-version:refname").split("\n");
  if (`v${version}`.localeCompare(highest, "en", { numeric: true }) <= 0)
    throw new Error(`${version} is not above ${highest}, which is released: choose a higher version`);
  const written = readFileSync(CHANGELOG, "utf8");
  const day = new Date().toISOString().slice(0, 10);
  const dated = written.replace(`## ${version} (unreleased)\n`, `## ${version} (${day})\n`);
  if (dated === written) throw new Error(`CHANGELOG.md has no section "## ${version} (unreleased)": write it first`);
  const [section = ""] = dated.slice(dated.indexOf(`## ${version} (`)).split(/\n(?=## )/, 1);
  if (isTried) {
    console.log(section);
    return;
  }
  if (run("git", "status", "--porcelain") !== "")
    throw new Error("The working tree is not clean: commit first, or preview with --dry-run");
  writeFileSync(CHANGELOG, dated);
  run("npm", "version", version, "--no-git-tag-version", "--allow-same-version");
  const manifests = readFileSync(MANIFESTS, "utf8");
  writeFileSync(MANIFESTS, manifests.replaceAll(/(torcida(?::|-migrate-))\d+\.\d+\.\d+/g, `$1${version}`));
  execFileSync(process.execPath, ["scripts/developer/licences.ts"], { cwd: ROOT, stdio: "inherit" });
  run("git", "add", "CHANGELOG.md", "package.json", "package-lock.json", MANIFESTS);
  run("git", "commit", "--message", `chore(release): ${version}`);
  // Else git takes the headings for comments.
  run("git", "tag", "--annotate", `v${version}`, "--cleanup=verbatim", "--message", section);
  console.log(`v${version} is tagged. Look at it with git show v${version}; then push the branch and the tag.`);
}

function run(command: string, ...parameters: string[]): string {
  return execFileSync(command, parameters, { cwd: ROOT, encoding: "utf8" }).trim();
}
