import { LANGUAGES, type Language } from "./languages.ts";

/** Wherever a spreadsheet of either locale, or one that reads the quotes otherwise, might begin a cell. */
const CELL_START = String.raw`(^|[;,\t\r\n])([ "\u00a0]*)`;
const SIGNS = String.raw`=+@\uff1d\uff0b\uff0d\uff20`;
/** What it would run there, but for a negative number; and what the apostrophe of such a cell would look like. */
const FORMULA = new RegExp(
  String.raw`${CELL_START}(?=[${SIGNS}]|-(?!\d[\d.,]*"*(?:[;,\t\r\n]|$))|'+[${SIGNS}\-\t\r])`,
  "g",
);
const KEPT_FROM_RUNNING = new RegExp(String.raw`${CELL_START}'(?='*[${SIGNS}\-\t\r])`, "g");

/** A text with an apostrophe wherever a spreadsheet would run what follows. */
export const safeCell = (text: string): string => text.replace(FORMULA, "$1$2'");

/** What `safeCell` was given. */
export const plainCell = (cell: string): string => cell.replace(KEPT_FROM_RUNNING, "$1$2");

/** How the spreadsheets of a language read CSV. docs/product.md#spreadsheets */
export function spreadsheetIn(language: Language) {
  const mark = new Intl.NumberFormat(LANGUAGES[language].locale).format(0.5).charAt(1);
  const separator = mark === "," ? ";" : ",";
  const cell = (text: string) => `"${safeCell(text).replaceAll('"', '""')}"`;
  return {
    /** Decimal text with the language's mark. */
    number: (decimal: string): string => decimal.replace(".", mark),
    rows: (rows: readonly (readonly string[])[]): string =>
      rows.map((row) => `${row.map(cell).join(separator)}\r\n`).join(""),
  };
}

/** A file's text: UTF-8, or UTF-16 where its mark says so, as spreadsheets save "Unicode text". docs/product.md#spreadsheets */
export function fileText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
