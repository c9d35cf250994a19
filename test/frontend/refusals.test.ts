import { readFileSync } from "node:fs";
import { createIntl } from "@formatjs/intl";
import { expect } from "chai";
import { updateStoreRequestSchema } from "../../core/rules/api/catalogue.ts";
import { ERROR_CODES, type ErrorCode } from "../../core/rules/api/error-codes.ts";
import { ruleOf } from "../../core/rules/broken-rule.ts";
import { DECISION_REFUSALS } from "../../core/rules/sale/decision-refusals.ts";
import { invalidField } from "../../frontend/admin/invalid-field.ts";
import { sayRefusal } from "../../frontend/admin/refusal-words.ts";
import { ApiError } from "../../frontend/api/http.ts";

/** The panel makes no such call: the steps of a purchase by hand, hooks, claims of a buyer, purchases. */
const NOT_FOR_THE_PANEL: readonly ErrorCode[] = [
  ...(["REVERSED", "CANCELLED", "NOT_MINTED", "NOT_APPROVED", "NOT_DUE"] as const),
  ...(["METADATA_URI_FORBIDDEN", "IDEMPOTENCY_KEY_REUSED", "TIMESTAMP_OUT_OF_WINDOW"] as const),
  ...(["EVENT_REUSED", "SIMULATED_LIMIT"] as const),
];
const intl = createIntl({ locale: "pt", messages: JSON.parse(readFileSync("core/rules/languages/pt.json", "utf8")) });
const refusalOf = (error: unknown) =>
  sayRefusal(error, (id, values) => intl.formatMessage({ id }, values as Record<string, string>));
const SERVERS_WORDS = "The server said this in English";
const refused = (code: string, more: { field?: string; why?: string } = {}) =>
  refusalOf(new ApiError(SERVERS_WORDS, 409, { code, isServersWord: true, ...more }));

describe("A refusal in the panel", () => {
  for (const code of ERROR_CODES.filter((one) => !NOT_FOR_THE_PANEL.includes(one))) {
    it(`is said in Portuguese: ${code}`, () => {
      const said =
        code === "CATALOGUE_FILE"
          ? refusalOf(new ApiError("The file is not JSON: x", 422, { code, problems: [{ problem: "not_json" }] }))
          : refused(code);
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

  it("says what is wrong with a field by the rule that it breaks, with its figure", () => {
    const fault = (fields: Record<string, unknown>) => {
      const { error } = updateStoreRequestSchema.safeParse(fields);
      const [issue] = error?.issues ?? [];
      return issue && invalidField(String(issue.path[0]), ruleOf(issue));
    };
    expect(fault({ name: "" })).to.equal("Nome não pode ficar vazio.");
    expect(fault({ name: "Lo\u200bja" })).to.match(/^Nome não aceita caracteres invisíveis/);
    expect(fault({ name: "ç".repeat(41) })).to.equal("Nome aceita até 40 caracteres.");
    expect(fault({ name: "ç\u0301\u0301".repeat(30) })).to.match(/^Nome aceita até 160 bytes/);
    expect(fault({ claim_days: 999 })).to.equal("Dias para reclamar pode ser no máximo 730.");
    expect(fault({ hold_seconds: 999 * 86_400 })).to.equal("Prazo de segurança pode ser no máximo 365 dias.");
    expect(fault({ hold_seconds: "logo" })).to.match(/^Prazo de segurança precisa ser uma duração como 3 dias/);
    expect(fault({ logo: `https://a.example/${"x".repeat(2_048)}` })).to.equal(
      "URL do logo aceita até 2048 caracteres.",
    );
    expect(fault({ logo: "https://192.168.0.1/a.png" })).to.match(/^URL do logo precisa ser um endereço público/);
    expect(fault({ claim_days: 1.5 })).to.equal("Dias para reclamar precisa ser um número inteiro.");
    expect(fault({ affiliate_link: `https://a.example/${"x".repeat(2_048)}` })).to.equal(
      "Link de afiliado aceita até 2048 caracteres.",
    );
    expect(fault({ store_url: "https://10.0.0.1/" })).to.match(/^Site da loja precisa ser um endereço público/);
    expect(fault({ network: "Awin!" })).to.equal("Rede aceita até 32 letras minúsculas, números e hífens.");
  });
});
