import { existsSync, globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { MANY_FILES, OTHER_ENGINE, SUBJECTS } from "../release-subjects.ts";
import { knownRaces } from "../testing/known-races.ts";
import { DEEP_TAG, filesOf, PARTS, RELEASE_TAG, TIERS, type Tier } from "../testing/test-files.ts";

const DAY_MS = 86_400_000;
const all = globSync("test/**/*.test.ts", { exclude: ["test/bench/node_modules"] })
  .filter((file) => !file.startsWith("test/contracts/"))
  .sort();
const files = Object.fromEntries(TIERS.map((tier) => [tier, filesOf(tier, Object.keys(PARTS))])) as Record<
  Tier,
  string[]
>;

describe("The files of tests", () => {
  it("all belong to one part", () => {
    for (const tier of TIERS) expect(files[tier].length).to.equal(new Set(files[tier]).size);
    expect([...new Set(Object.values(files).flat())].sort()).to.deep.equal(all);
  });

  it("are run by npm test unless all of their tests are marked", () => {
    for (const file of all.filter((one) => !files.quick.includes(one))) {
      const tops = readFileSync(file, "utf8").match(/^(?:describe|on[A-Z]|\(.+ \? describe).*/gm) ?? [];
      expect(tops, file).not.to.deep.equal([]);
      for (const top of tops) expect(top, file).to.match(new RegExp(`${DEEP_TAG}|${RELEASE_TAG}`));
    }
  });

  it("are run by npm run test:deep or test:release if a helper or a title marks one of their tests", () => {
    for (const file of all) {
      const text = readFileSync(file, "utf8");
      const isMarked = [DEEP_TAG, "onEitherEngine(", "onBothSystems(", "otherEngineTag"].some((mark) =>
        text.includes(mark),
      );
      if (isMarked) expect([...files.deep, ...files.release], file).to.include(file);
      if (text.includes(RELEASE_TAG)) expect(files.release, file).to.include(file);
    }
  });

  it("that only npm run test:release runs each have a subject, whose change lets .ci/run run them", () => {
    const marked = files.release.filter((file) => readFileSync(file, "utf8").includes(RELEASE_TAG));
    expect(Object.keys(SUBJECTS).sort()).to.deep.equal(["contracts", ...marked].sort());
    expect(MANY_FILES).to.be.at.least(1);
    for (const [name, globs] of [["the other engine", OTHER_ENGINE] as const, ...Object.entries(SUBJECTS)]) {
      for (const glob of globs) expect(globSync(glob), `${name}: ${glob}`).not.to.deep.equal([]);
    }
  });

  it("that a run may repeat alone are at most five, each with its reason and for less than 14 days", () => {
    const races = knownRaces();
    expect(races.length).to.be.at.most(5);
    expect(readFileSync("test/known-races.md", "utf8").match(/^\* /gm) ?? []).to.have.length(races.length);
    for (const { file, since, reason } of races) {
      expect(existsSync(file), file).to.equal(true);
      expect(Date.now() - Date.parse(since), `${file}: since ${since}`).to.be.within(0, 14 * DAY_MS);
      expect(reason, file).not.to.equal("");
    }
  });
});
