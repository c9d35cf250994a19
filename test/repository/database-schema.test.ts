import { readFileSync } from "node:fs";
import { expect } from "chai";
import { SCHEMA_FILE, schemaSource } from "../../tools/generate/database-schema.ts";

describe("database/generated/schema.ts", () => {
  it("is what `npm run release-files` writes from the schema's SQL", () => {
    expect(readFileSync(SCHEMA_FILE, "utf8")).to.equal(schemaSource());
  });
});
