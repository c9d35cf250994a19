import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { DEEP_TAG, filesOf, PARTS } from "../testing/test-files.ts";

const all = globSync("test/**/*.test.ts")
  .filter((file) => !file.startsWith("test/contracts/"))
  .sort();
const quick = filesOf("quick", Object.keys(PARTS));
const deep = filesOf("deep", Object.keys(PARTS));

describe("The files of tests", () => {
  it("all belong to one part", () => {
    expect(quick.length).to.equal(new Set(quick).size);
    expect(deep.length).to.equal(new Set(deep).size);
    expect([...new Set([...quick, ...deep])].sort()).to.deep.equal(all);
  });

  it("are run by npm test unless all of their tests are marked", () => {
    for (const file of deep.filter((one) => !quick.includes(one))) {
      const tops = readFileSync(file, "utf8").match(/^(?:describe|on[A-Z]|\(.+ \? describe).*/gm) ?? [];
      expect(tops, file).not.to.deep.equal([]);
      for (const top of tops) expect(top, file).to.include(DEEP_TAG);
    }
  });

  it("are run by npm run test:deep if a helper or a title marks one of their tests", () => {
    for (const file of all) {
      const text = readFileSync(file, "utf8");
      const isMarked = [DEEP_TAG, "onEitherEngine(", "onBothSystems(", "otherEngineTag"].some((mark) =>
        text.includes(mark),
      );
      if (isMarked) expect(deep, file).to.include(file);
    }
  });
});
