import { expect } from "chai";
import { pauseReason } from "../../frontend/admin/words.ts";

describe("Why payouts are paused, in the panel's words", () => {
  it("says the system's own reasons, and leaves a person's as they are", () => {
    expect(pauseReason("Database and chain differ: x", { code: "differences", detail: "x" })).to.match(
      /^o banco de dados/,
    );
    expect(pauseReason("…", { code: "lost_nonce", key: "payer", nonce: 7 })).to.include("a chave do pagador");
    expect(pauseReason("Auditoria", null)).to.equal("Auditoria");
  });
});
