import { readFileSync } from "node:fs";
import { createIntl, type IntlShape } from "@formatjs/intl";
import type { Request } from "express";
import type pt from "../core/rules/languages/pt.json";
import { LANGUAGE_NAMES, LANGUAGES, type Language, languageFrom } from "../core/rules/languages.ts";
import { PRODUCT_NAME } from "../core/rules/product.ts";

type MessageId = keyof typeof pt;
/** A text in the reader's language; every one may name the product. */
export type Translate = (id: MessageId, values?: Record<string, string | number | boolean | null>) => string;

const intls: Partial<Record<Language, IntlShape>> = {};

/** The texts that the server writes: e-mails, their pages, and previews of shared links. */
export function textsIn(language: Language): Translate {
  const file = new URL(`../core/rules/languages/${language}.json`, import.meta.url);
  intls[language] ??= createIntl({
    locale: LANGUAGES[language].locale,
    messages: JSON.parse(readFileSync(file, "utf8")),
  });
  const intl = intls[language];
  return (id, values) => intl.formatMessage({ id }, { product: PRODUCT_NAME, ...values });
}

export const acceptedLanguage = (request: Request): Language =>
  languageFrom(request.acceptsLanguages(...LANGUAGE_NAMES));
