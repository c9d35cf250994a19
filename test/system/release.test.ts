import { expect } from "chai";
import { changelogSection, parseCommit, versionMistake } from "../../tools/release/changelog.ts";

describe("The changelog", () => {
  it("lists what was added, fixed and broken, by folder, without tests and chores", () => {
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

describe("A release's version", () => {
  it("is above every released one", () => {
    const tags = ["v0.9.0", "v0.10.1", "v0.2.0", "vnext", ""];
    expect(versionMistake("0.10.2", tags)).to.equal(undefined);
    expect(versionMistake("1.0.0", tags)).to.equal(undefined);
    expect(versionMistake("0.1.0", [""])).to.equal(undefined);
    for (const version of ["0.10.1", "0.10.0", "0.9.9", "0.3.0"]) {
      expect(versionMistake(version, tags), version).to.include("is not above v0.10.1");
    }
    for (const version of ["", "1", "1.2", "v1.2.3", "1.2.3-rc.1", "01.2"]) {
      expect(versionMistake(version, tags), version).to.include("is not a version");
    }
  });
});
