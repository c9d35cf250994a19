import { readFileSync } from "node:fs";
import { expect } from "chai";
import { DATA_MAP } from "../../core/rules/data-map.ts";
import { retentionOf, schemaColumns } from "../../scripts/review/documents.ts";

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
  "account_waits.reason",
  "pushes.device_id",
];

describe("What the tables are for", () => {
  const tables = schemaColumns(readFileSync("core/database/generated/schema.ts", "utf8"));

  it("is said of each table of the schema, with how long its rows stay", () => {
    expect(Object.keys(DATA_MAP)).to.have.members([...tables.keys()]);
    const operations = readFileSync("docs/operations.md", "utf8");
    for (const table of tables.keys()) expect(retentionOf(operations, table), table).not.to.equal(undefined);
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
