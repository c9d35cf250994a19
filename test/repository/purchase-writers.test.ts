import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

const ROOMS = "{api,core,indexer}/**/*.ts";
const SOURCES = globSync(ROOMS)
  .filter((file) => !file.includes("migrations"))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));

function filesWith(pattern: RegExp): string[] {
  return SOURCES.filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .toSorted();
}

/** Files that import one of these names from a file. */
function importersOf(names: readonly string[], from: string): string[] {
  const source = from.split("/").at(-1)?.replaceAll(".", "\\.");
  const pattern = new RegExp(`import \\{[^}]*\\b(?:${names.join("|")})\\b[^}]*\\} from "[./a-z-]*/${source}"`);
  return filesWith(pattern);
}

/** Whose decision pays it; what was decided about its sale; its steps; how it was counted; what staff said. */
const WRITERS = ["approvals", "decide-sales", "next-step", "purchase-rows", "staff"].map(
  (file) => `core/purchases/${file}.ts`,
);
/** They save what was decided; what they do not export, nobody else can. */
const SAVING = ["decide-sales", "next-step", "purchase-rows"].map((file) => `core/purchases/${file}.ts`);
/** The columns that totals are counted from, and those that make a purchase due. */
const COUNTED = /\b(?:wei_per_cent|cashback_cent_bps|reversed_at|settled_at|wallet)\b/;
/** What was decided about a sale; the other columns are what networks reported and staff said. */
const DECIDED =
  /\b(?:state|amount_cents|commission_cents|cashback_cent_bps|hold_reasons|hold_figures|order_key|counted):/;

describe("Rows of purchases", () => {
  it("are written by the purchases' own files alone", () => {
    const write =
      /(?:updateTable|insertInto|deleteFrom)\("purchases"\)|\b(?:update|insert into|delete from) purchases\b/i;
    expect(filesWith(write)).to.deep.equal(WRITERS);
  });

  it("are recounted by whoever changes what the totals are based on, once a decision", () => {
    const changing = [...SAVING, "core/purchases/staff.ts"]
      .flatMap(functionsOf)
      .filter((text) => /updateTable\("purchases"\)/.test(text) && COUNTED.test(setOf(text)));
    expect(changing).to.have.lengthOf.at.least(4);
    const uncounted = changing.filter((text) => !text.includes("recountPurchases("));
    const names = uncounted.map((text) => text.match(/function (\w+)/)?.[1] ?? text);
    expect(names).to.deep.equal(["entitle", "freezeRates", "settlePurchases", "reversePurchase"]);
    for (const file of SAVING) {
      const text = readFileSync(file, "utf8");
      expect(text).to.include("recountPurchases(");
      for (const name of names) {
        // What a decision takes back is recounted once it is whole.
        if (!text.includes(`export async function ${name}(`)) continue;
        expect(importersOf([name], file), name).to.deep.equal(["core/purchases/decide-sales.ts"]);
      }
    }
  });
});

describe("What was decided", () => {
  it("is saved by decide-sales.ts and next-step.ts alone: purchases, offsets, rates and debts", () => {
    for (const name of ["insertPurchases", "adoptPurchase", "reversePurchase"]) {
      expect(importersOf([name], "core/purchases/purchase-rows.ts"), name).to.deep.equal([
        "core/purchases/decide-sales.ts",
      ]);
    }
    expect(importersOf(["withdrawMove"], "core/purchases/purchase-rows.ts")).to.deep.equal([
      // Queued by staff under other rules: it is due again at once.
      "core/purchases/changed-facts.ts",
      "core/purchases/decide-sales.ts",
      "core/purchases/next-step.ts",
    ]);
    // A buyer takes back their own simulated purchase, whose ticket nobody has sent: no network is asked.
    expect(importersOf(["withdrawPurchase"], "core/purchases/purchase-rows.ts")).to.deep.equal([
      "api/purchases/steps.ts",
    ]);
    expect(importersOf(["adjustDebt"], "core/purchases/debt.ts")).to.deep.equal(["core/purchases/decide-sales.ts"]);
    expect(importersOf(["saveSale"], "core/purchases/sale-row.ts")).to.deep.equal(["core/purchases/decide-sales.ts"]);
  });

  it("queues operations of purchases nowhere else; a store's own registration is no purchase", () => {
    expect(importersOf(["enqueue"], "core/sender/queue.ts")).to.deep.equal([
      "api/admin/suggested-stores.ts",
      "api/catalogue/routes.ts",
      "core/catalogue/changes.ts",
      "core/purchases/decide-sales.ts",
      "core/purchases/next-step.ts",
    ]);
    for (const file of ["api/catalogue/routes.ts", "core/catalogue/changes.ts"]) {
      const kinds = [...readFileSync(file, "utf8").matchAll(/enqueue(?:Again)?\([^;]*?kind: "(\w+)"/g)];
      expect(kinds).not.to.be.empty;
      for (const [, kind] of kinds) expect(kind).to.match(/_store$/);
    }
  });

  it("takes operations back, or makes them due, where a purchase is decided or its row changes", () => {
    expect(importersOf(["forgetOperations"], "core/sender/queue.ts")).to.deep.equal([
      "core/purchases/purchase-rows.ts",
    ]);
    expect(importersOf(["expedite"], "core/sender/queue.ts")).to.deep.equal([
      "core/purchases/next-step.ts",
      // A simulated purchase's mint waits for a bonus that is read late.
      "core/purchases/purchase-rows.ts",
      // What is queued already is paid now: the wallet's sales were decided anew in the same transaction.
      "core/purchases/settlement.ts",
    ]);
    // An operator dismisses what failed.
    expect(importersOf(["withdraw"], "core/sender/queue.ts")).to.deep.equal([]);
  });

  it("is preceded by what staff say about a purchase, which makes it due: the only columns that they write", () => {
    const facts = ["holdPurchase", "releasePurchase", "decideApprovals"];
    const ofStaff = /^(?:held_at|held_by|held_reason|approval_id|decided_by|decided_day)$/;
    const functions = [...functionsOf("core/purchases/staff.ts"), ...functionsOf("core/purchases/approvals.ts")].filter(
      (text) => [...facts, "attribute"].some((name) => text.includes(`function ${name}(`)),
    );
    expect(functions).to.have.lengthOf(facts.length + 1);
    for (const text of functions) {
      const sets = [...text.matchAll(/updateTable\("purchases"\)\s*\.set\(\{([^}]*)\}/g)];
      expect(sets, text).not.to.be.empty;
      for (const [, set = ""] of sets) {
        for (const [, column] of set.matchAll(/\b(\w+):/g)) expect(column, text).to.match(ofStaff);
      }
      expect(text).to.match(/recountPurchases\(|attribute\(/);
    }
  });

  it("makes a sale's state, amounts, cashback and holds: nobody else writes these columns", () => {
    const writers = SOURCES.flatMap(({ file, text }) =>
      functionsIn(text)
        .filter((one) => one.includes('updateTable("sales")') && DECIDED.test(setOf(one)))
        .map((one) => `${file} ${one.match(/function (\w+)/)?.[1]}`),
    );
    expect(writers).to.deep.equal([]);
    expect(filesWith(/\.set\(\{ \.\.\.columns, counted/)).to.deep.equal(["core/purchases/sale-row.ts"]);
  });

  it("makes a purchase due through due.ts; only its own changes and the index call it", () => {
    expect(importersOf(["makeDue"], "core/purchases/due.ts")).to.deep.equal([
      // What waited for its account has room.
      "core/purchases/account-books.ts",
      "core/purchases/changed-facts.ts",
      "core/purchases/held-reviews.ts",
      "core/purchases/purchase-rows.ts",
    ]);
    expect(importersOf(["setNextCheck", "postpone"], "core/purchases/due.ts")).to.deep.equal([
      "core/purchases/next-step.ts",
    ]);
    expect(importersOf(["recountPurchases"], "core/purchases/purchase-rows.ts")).to.deep.equal([
      "core/purchases/account-gate.ts",
      "core/purchases/approvals.ts",
      "core/purchases/changed-facts.ts",
      "core/purchases/decide-sales.ts",
      "core/purchases/next-step.ts",
      "core/purchases/staff.ts",
      "indexer/store/chain-index.ts",
    ]);
  });
});

describe("The panel's state of a purchase", () => {
  it("is one expression, which the index repeats", () => {
    const plain = (text: string) => text.replace(/\s+/g, " ");
    const [, expression = ""] =
      readFileSync("core/purchases/waiting.ts", "utf8").match(/"\((case when .*?end)\)"/) ?? [];
    expect(expression).to.include("'held'");
    expect(plain(readFileSync("core/database/migrations/0001-initial.sql", "utf8"))).to.include(expression);
    expect(filesWith(/then 'held'/)).to.deep.equal(["core/purchases/waiting.ts"]);
  });
});

function functionsOf(file: string): string[] {
  return functionsIn(readFileSync(file, "utf8"));
}

function functionsIn(text: string): string[] {
  return text.split(/^(?=(?:export )?(?:async )?function )/m);
}

/** What comes after the first `.set(` of a function. */
function setOf(text: string): string {
  return text.slice(Math.max(0, text.indexOf(".set(")), text.indexOf(".execute", text.indexOf(".set(")));
}
