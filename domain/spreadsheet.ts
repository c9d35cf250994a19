import { LANGUAGES, type Language } from "./languages.ts";

/** What a spreadsheet would run; a negative number is none. */
const FORMULA = /^(?:[=+@\t\r\uff1d\uff0b\uff0d\uff20]|-(?!\d[\d.,]*$))/;

/** How the spreadsheets of a language read CSV. docs/product.md#spreadsheets */
export function spreadsheetIn(language: Language) {
  const mark = new Intl.NumberFormat(LANGUAGES[language].locale).format(0.5).charAt(1);
  const separator = mark === "," ? ";" : ",";
  const cell = (text: string) => {
    const safe = FORMULA.test(text) ? `'${text}` : text;
    return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return {
    /** Decimal text with the language's mark. */
    number: (decimal: string): string => decimal.replace(".", mark),
    rows: (rows: readonly (readonly string[])[]): string =>
      rows.map((row) => `${row.map(cell).join(separator)}\r\n`).join(""),
  };
}
