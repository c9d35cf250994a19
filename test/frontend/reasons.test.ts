import { readFileSync } from "node:fs";
import { createIntl } from "@formatjs/intl";
import { expect } from "chai";
import { ERROR_CODES, type ErrorCode } from "../../core/rules/api/error-codes.ts";
import { ApiError, UnreachableError } from "../../frontend/api/http.ts";
import { reasonOf } from "../../frontend/api/reason-of.ts";
import type { MessageId } from "../../frontend/i18n/language.tsx";

/** Codes that only admins, services, affiliate networks and programs get: no page of a shopper makes such a call. */
const NOT_FOR_SHOPPERS: readonly ErrorCode[] = [
  ...(["OWN_REQUEST", "DECIDED", "REQUESTS_CHANGED", "LAPSED"] as const),
  ...(["STORE_NAME_TAKEN", "CONTRACT_TAKEN", "GROUP_TAKEN", "BOOST_TOO_LOW", "BOOST_TOO_HIGH", "BOOST_STATE"] as const),
  ...(["PERCENT_UNAGREED", "CATALOGUE_FILE", "NOT_A_TOKEN", "CLUB_NAME_TAKEN"] as const),
  ...(["OFFER_TITLE_TAKEN", "OFFER_OF_NETWORK"] as const),
  ...(["NOT_A_PICTURE", "ASSETS_UNAVAILABLE", "DECISION_REFUSED", "SALE_CHANGED", "OWN_SALE", "EVENT_REUSED"] as const),
  ...(["REVERSED", "CANCELLED", "NOT_MINTED", "NOT_APPROVED", "NOT_DUE", "HELD", "NOT_HELD", "OVER", "PAID"] as const),
  ...(["WRONG_AMOUNT", "NOTHING_PAYABLE", "NOT_STUCK", "PAYOUTS_PAUSED"] as const),
  ...(["METADATA_URI_FORBIDDEN", "IDEMPOTENCY_KEY_REUSED", "TIMESTAMP_OUT_OF_WINDOW"] as const),
];
/** Said by which limit it is. */
const BY_LIMIT: readonly ErrorCode[] = ["SIMULATED_LIMIT"];
const SERVERS_WORDS = "The server said this in English";

function translate(language: "pt" | "en") {
  const messages = JSON.parse(readFileSync(`core/rules/languages/${language}.json`, "utf8"));
  const intl = createIntl({ locale: language, messages });
  return (id: MessageId, values?: object) => intl.formatMessage({ id }, values as Record<string, string>);
}

describe("Why a call failed, in a shopper's words", () => {
  const pt = translate("pt");
  const en = translate("en");
  const refusal = (status: number, more: { code?: string; field?: string } = {}) =>
    new ApiError(SERVERS_WORDS, status, { ...more, isServersWord: true });

  it("names the limit of simulated purchases that is reached, with its figure", () => {
    const said = ["purchase", "wallet", "all"].flatMap((name) => {
      const error = new ApiError(SERVERS_WORDS, 409, { code: "SIMULATED_LIMIT", limit: { name, max: 10_000 } });
      const [inPortuguese, inEnglish] = [reasonOf(error, pt), reasonOf(error, en)];
      expect(inPortuguese).to.include("R$ 10.000");
      expect(inEnglish).to.include("R$ 10,000");
      return [inPortuguese, inEnglish];
    });
    expect(new Set(said).size).to.equal(6);
  });

  for (const code of ERROR_CODES.filter((one) => ![...NOT_FOR_SHOPPERS, ...BY_LIMIT].includes(one))) {
    it(`says ${code} in both languages`, () => {
      const [inPortuguese, inEnglish] = [reasonOf(refusal(409, { code }), pt), reasonOf(refusal(409, { code }), en)];
      expect(inPortuguese).to.not.equal(inEnglish);
      expect(inPortuguese).to.not.equal(SERVERS_WORDS);
      expect(inEnglish).to.not.equal(SERVERS_WORDS);
    });
  }

  for (const field of ["first_name", "last_name", "email", "order_ref", "amount", "date", "note"]) {
    it(`says what is wrong with ${field}`, () => {
      for (const t of [pt, en]) {
        const said = reasonOf(refusal(400, { code: "INVALID_REQUEST", field }), t);
        expect(said).to.not.equal(t("reason.outdated"));
        expect(said).to.not.include(SERVERS_WORDS);
      }
    });
  }

  it("shows what the server says where no code is known, but not of an internal error", () => {
    for (const t of [pt, en]) {
      for (const more of [{}, { code: "BRAND_NEW" }]) expect(reasonOf(refusal(409, more), t)).to.equal(SERVERS_WORDS);
      expect(reasonOf(refusal(500), t)).to.not.include(SERVERS_WORDS);
    }
    expect(reasonOf(new ApiError("API Error: 502 Bad Gateway", 502), pt)).to.equal("API Error: 502 Bad Gateway");
  });

  it("has words for a server that does not answer, and for an answer that cannot be read", () => {
    for (const error of [new UnreachableError("fetch failed"), new TypeError("x is not a function")]) {
      expect(reasonOf(error, pt)).to.not.include(error.message);
      expect(reasonOf(error, pt)).to.not.equal(reasonOf(error, en));
    }
  });
});
