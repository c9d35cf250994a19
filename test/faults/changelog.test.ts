import { expect } from "chai";
import { changelogSection, parseCommit } from "../../tools/release/changelog.ts";

describe("The changelog", () => {
  it("tells what was added, mended and broken, by room, and leaves tests and chores out", () => {
    const lines = [
      "abc1234 feat(api): pay twice as fast",
      "abc1235 fix: a wrong sum",
      "abc1236 feat(database)!: another shape",
      "abc1237 test(api): more of them",
      "abc1238 Merge something",
    ];
    const section = changelogSection(
      "1.2.0",
      new Date("2026-01-02"),
      lines.flatMap((line) => parseCommit(line) ?? []),
    );
    expect(section).to.equal(
      [
        "## 1.2.0 (2026-01-02)\n",
        "### Changes that need your attention\n\n* **database**: another shape (abc1236)\n",
        "### Added\n\n* **api**: pay twice as fast (abc1234)\n",
        "### Fixed\n\n* a wrong sum (abc1235)\n",
      ].join("\n"),
    );
  });
});
