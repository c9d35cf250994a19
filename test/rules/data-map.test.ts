import { readFileSync } from "node:fs";
import { expect } from "chai";
import { DATA_MAP } from "../../core/rules/data-map.ts";
import { dataDocument, processingDocument, retentionOf, schemaColumns } from "../../scripts/review/documents.ts";

/** Words of columns that are about a person, or may be. */
const ABOUT_A_PERSON =
  /wallet|e?mail|(^|_)(first_|last_|nick)name|address$|token_hash|device|endpoint|p256dh|order_ref|_by$|author|actor|decider|owner|recipient|buyer|note$|words|picture|reason$/;
/** What these words mean elsewhere. */
const ABOUT_NOBODY = [
  "event_readers.mail_topics",
  "event_readers.mail_chosen_at",
  "events.mail_at",
  "events.reason",
  "operations.reason",
  "sales.reason",
  "stores.paused_reason",
  "account_waits.reason",
  "pushes.device_id",
];

describe("What the tables are for", () => {
  const schema = readFileSync("core/database/generated/schema.ts", "utf8");
  const operations = readFileSync("docs/operations.md", "utf8");
  const tables = schemaColumns(schema);

  it("is said of each table of the schema, with how long its rows stay", () => {
    expect(Object.keys(DATA_MAP)).to.have.members([...tables.keys()]);
    for (const table of tables.keys()) expect(retentionOf(operations, table), table).not.to.equal(undefined);
  });

  it("is told to a reviewer column by column, and as a record of processing with a named contact", () => {
    const data = dataDocument(schema, operations);
    for (const [table, columns] of tables) {
      expect(data).to.include(`## ${table}\n`);
      for (const { name } of columns)
        expect(data, table).to.match(new RegExp(`^\\| \`${name}\` \\| .* \\| .{2,} \\|$`, "m"));
    }
    expect(data).to.match(/^\| `email` \| string \| yes \| a buyer's account \|$/m);
    const record = processingDocument(operations, { controller: "the shop", contact: "help@shop.example" });
    expect(record).to.include("Contact of the person in charge: help@shop.example.");
    expect(record).to.include(
      "| the receipt beside a claim | buyer | contract (V) | `claim_pictures`: wallet, content | 30 days",
    );
    expect(record).not.to.include("undefined");
    expect(processingDocument(operations, { controller: "the shop", contact: undefined })).to.include("not named");
  });

  it("names every column that is about a person, and no other", () => {
    for (const [table, columns] of tables) {
      const { personal = [], about, basis } = DATA_MAP[table] ?? {};
      const names = columns.map(({ name }) => name);
      expect(names, table).to.include.members([...personal]);
      expect(personal.length > 0, table).to.equal(about !== undefined && basis !== undefined);
      const forgotten = names.filter((name) => ABOUT_A_PERSON.test(name) && !personal.includes(name));
      expect(forgotten.map((name) => `${table}.${name}`).filter((name) => !ABOUT_NOBODY.includes(name))).to.deep.equal(
        [],
      );
    }
  });
});
