import { readFileSync } from "node:fs";
import { expect } from "chai";
import { generatedFiles } from "../../scripts/developer/generate.ts";

describe("core/chain/generated", () => {
  for (const { path, content } of generatedFiles()) {
    it(`holds what the compiled contracts say: ${path.split("/").at(-1)}`, () => {
      expect(readFileSync(path, "utf8") === content, "is stale; run `npm run generate`").to.equal(true);
    });
  }
});
