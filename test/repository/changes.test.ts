import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { filesTouched } from "../../scripts/developer/walk/changes.ts";

describe("What a change costs", () => {
  const directory = mkdtempSync(join(tmpdir(), "torcida-changes-"));
  after(() => rmSync(directory, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ana", "-c", "user.email=ana@example.com", ...args], { cwd: directory });
  const change = (subject: string, ...files: string[]) => {
    for (const file of files) {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      writeFileSync(join(directory, file), subject);
    }
    git("add", ".");
    git("commit", "-qm", subject);
  };

  it("is the median of the files that fixes and features touch, of all and of what runs", () => {
    git("init", "-q");
    change("fix(api): one", "api/one.ts", "test/one.test.ts");
    change("fix: another", "core/two.ts");
    change("fix: a third", "core/two.ts", "core/three.ts", "docs/three.md", "test/three.test.ts");
    change("feat(web): a page", "frontend/page.tsx", "docs/page.md");
    change("fixture: no fix", "core/four.ts", "core/five.ts", "core/six.ts");
    expect(filesTouched(directory)).to.deep.equal([
      { kind: "fix", changes: 3, files: 2, source: 1 },
      { kind: "feat", changes: 1, files: 2, source: 1 },
    ]);
  });
});
