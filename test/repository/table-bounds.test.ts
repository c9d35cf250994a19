import { readFileSync } from "node:fs";
import { expect } from "chai";
import { TABLE_NAMES } from "../../core/database/generated/schema.ts";

const PAGE = readFileSync("docs/operations.md", "utf8");

describe("What bounds each table", () => {
  const [, section = ""] = /## What ends\n([\s\S]*?)\n## /.exec(PAGE) ?? [];
  const rows = [...section.matchAll(/^\| (`.+?`) \| (.+) \|$/gm)];

  it("stands in docs/operations.md, for every table of the schema once", () => {
    const listed = rows.flatMap(([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(listed.toSorted()).to.deep.equal([...TABLE_NAMES].toSorted());
  });

  it("is a time, a number or a reason to stay", () => {
    const vague = rows.filter(
      ([, , bound = ""]) => !/\bday|hour|minute|year|one row|fixed|stays?:|deleted/.test(bound),
    );
    expect(vague.map(([row]) => row)).to.deep.equal([]);
  });
});
