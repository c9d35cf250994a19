import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

const WRITE = /(?:updateTable|insertInto|deleteFrom)\("purchases"\)|\b(?:update|insert into|delete from) purchases\b/i;
/** Whose decision pays it; how it was counted; every other change of a purchase. */
const WRITERS = ["purchases/approvals.ts", "purchases/counting.ts", "purchases/lifecycle.ts"];
/** The columns that totals are counted from, and those that make a purchase due. */
const COUNTED = /\b(?:wei_per_cent|cashback_cent_bps|reversed_at|settled_at|wallet)\b/;

describe("Rows of purchases", () => {
  it("are written by the purchases' own files alone", () => {
    const rooms = [
      "affiliates",
      "api",
      "catalogue",
      "database",
      "indexer",
      "platform",
      "purchases",
      "reconcile",
      "sender",
    ];
    const files = globSync(`{${rooms.join(",")}}/**/*.ts`).filter((file) => !file.includes("migrations"));
    expect(files.filter((file) => WRITE.test(readFileSync(file, "utf8"))).toSorted()).to.deep.equal(WRITERS);
  });

  it("are recounted by every function that changes what the totals are based on", () => {
    const functions = readFileSync("purchases/lifecycle.ts", "utf8").split(/^(?=(?:export )?(?:async )?function )/m);
    const changing = functions.filter((text) => /updateTable\("purchases"\)/.test(text) && COUNTED.test(setOf(text)));
    expect(changing).to.have.lengthOf.at.least(4);
    const uncounted = changing.filter((text) => !text.includes("recountPurchases("));
    expect(uncounted.map((text) => text.split("(")[0])).to.deep.equal([]);
  });
});

/** What comes after the first `.set(` of a function. */
function setOf(text: string): string {
  return text.slice(Math.max(0, text.indexOf(".set(")), text.indexOf(".execute", text.indexOf(".set(")));
}
