import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { createIntl } from "react-intl";
import { ERROR_CODES, type ErrorCode } from "../../domain/api/error-codes.ts";
import { DECISION_REFUSALS } from "../../domain/sale/decision-refusals.ts";
import { invalidField } from "../../frontend/admin/invalid-field.ts";
import { sayRefusal } from "../../frontend/admin/refusal-words.ts";
import { ApiError } from "../../frontend/api/http.ts";

/** The panel makes no such call: the steps of a purchase by hand, hooks, claims of a buyer, purchases. */
const NOT_FOR_THE_PANEL: readonly ErrorCode[] = [
  ...(["REVERSED", "CANCELLED", "NOT_MINTED", "NOT_APPROVED", "NOT_DUE"] as const),
  ...(["IDEMPOTENCY_KEY_REUSED", "TIMESTAMP_OUT_OF_WINDOW"] as const),
];
const intl = createIntl({ locale: "pt", messages: JSON.parse(readFileSync("frontend/i18n/pt.json", "utf8")) });
const refusalOf = (error: unknown) =>
  sayRefusal(error, (id, values) => intl.formatMessage({ id }, values as Record<string, string>));
const SERVERS_WORDS = "The server said this in English";
const refused = (code: string, more: { field?: string; why?: string } = {}) =>
  refusalOf(new ApiError(SERVERS_WORDS, 409, { code, isServersWord: true, ...more }));

describe("A refusal in the panel", () => {
  for (const code of ERROR_CODES.filter((one) => !NOT_FOR_THE_PANEL.includes(one))) {
    it(`is said in Portuguese: ${code}`, () => {
      const said =
        code === "CATALOGUE_FILE" ? refusalOf(new ApiError("The file is not JSON: x", 422, { code })) : refused(code);
      expect(said).to.be.a("string").and.not.include(SERVERS_WORDS);
      expect(said).to.not.include("O servidor respondeu com o erro");
    });
  }

  it("says why a decision does not fit, each in its own words", () => {
    const said = DECISION_REFUSALS.map((why) => refused("DECISION_REFUSED", { why }));
    expect(new Set(said).size).to.equal(DECISION_REFUSALS.length);
    expect(said.join()).to.not.include(SERVERS_WORDS);
    expect(refused("DECISION_REFUSED", { why: "of_tomorrow" })).to.not.include(SERVERS_WORDS);
  });

  /** The rules as `domain/` words them, but for hooks and sign-in: figures are examples. */
  const rules = ["domain/api", "domain"]
    .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith(".ts") && !/api\/(affiliate|people)\.ts$/.test(path))
    .flatMap((path) => [...readFileSync(path, "utf8").matchAll(/["`](must (?:not )?[^"`\n]+)["`]/g)])
    .map(([, rule = ""]) => rule.replaceAll(/\$\{[^}]*\}/g, "5"));
  for (const rule of new Set(rules)) {
    it(`says what is wrong with a field that ${rule}`, () => {
      expect(invalidField("name", rule)).to.not.equal("Nome: valor inválido.");
    });
  }
});
