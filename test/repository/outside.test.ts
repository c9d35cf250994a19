import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

const ROOMS = "{api,core,indexer}/**/*.ts";

describe("Calls to other hosts", () => {
  it("go through the bounded reader; only the chain's nodes have a transport of their own, with its own bounds", () => {
    const callers = globSync(ROOMS).filter((file) =>
      /(?<![.#\w])fetch\(|\bhttps?\.(?:get|request)\(|httpRequest/.test(readFileSync(file, "utf8")),
    );
    // `api/chain/balances.ts` calls a method of its cache.
    const known = ["api/chain/balances.ts", "core/process/outside.ts", "core/process/rpc/json-rpc.ts"];
    expect(callers.sort()).to.deep.equal(known);
  });
});
