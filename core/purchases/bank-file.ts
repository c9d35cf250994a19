import { hash } from "node:crypto";
import { CsvError, parse } from "csv-parse/sync";
import { DAY_MS } from "../rules/iso-time.ts";
import { InvalidNumberError, parseReais } from "../rules/money.ts";
import { plainText } from "../rules/text.ts";
import { TorcidaError } from "../rules/torcida-error.ts";

/** A line of a bank's statement that is money in. */
export type BankLine = {
  /** In the file, from 1. */
  line: number;
  amountCents: bigint;
  /** `YYYY-MM-DD`. */
  arrivedOn: string;
  reference: string;
  /** The same for the same line of any file: of equal lines of one day, each counts. */
  lineKey: string;
};

/** The file is not a statement that can be read; the message says what is missing. */
export class BankFileError extends TorcidaError {
  override readonly docs = "docs/admin.md#accounts";
}

/** What banks call the columns, without accents and in lower case. */
const COLUMNS = {
  day: /^(?:data(?: .*)?|date)$/,
  amount: /^(?:valor(?: .*)?|credito(?: .*)?|amount|credit)$/,
  reference:
    /^(?:descricao|historico|lancamento|detalhes|referencia|identificador|description|memo|reference|details)$/,
};
const SEPARATORS = [";", ",", "\t"];
const REFERENCE_LENGTH = 140;
/** More takes long to read, and to book at once. */
const MOST = { letters: 512 * 1_024, lines: 4_000 };

/**
 * Reads a bank's statement: comma, semicolon or tab, lines before the header left out, `28/11/2026` or `2026-11-28`,
 * `1.234,56` or `1234.56`. Lines without a day or an amount, money out, and what is still to come are left out and counted.
 * @throws BankFileError
 */
export function readBankFile(content: string): { lines: BankLine[]; leftOut: number } {
  const text = content.replace(/^\uFEFF/, "");
  if (text.length > MOST.letters || text.split(/\r\n?|\n/, MOST.lines + 1).length > MOST.lines)
    throw new BankFileError(`must have at most ${MOST.lines} lines and ${MOST.letters / 1_024} KiB: book it in parts`);
  for (const separator of SEPARATORS) {
    const rows = rowsOf(text, separator);
    const header = rows.findIndex((row) => indexOf(row, "day") >= 0 && indexOf(row, "amount") >= 0);
    if (header < 0) continue;
    return linesOf(rows.slice(header + 1), rows[header] ?? [], header + 2);
  }
  throw new BankFileError("must have a line that names its columns, such as Data;Descrição;Valor");
}

function rowsOf(text: string, delimiter: string): string[][] {
  try {
    return parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: false,
      trim: true,
    });
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}

function indexOf(row: readonly string[], column: keyof typeof COLUMNS): number {
  return row.findIndex((cell) => COLUMNS[column].test(plain(cell)));
}

const plain = (cell: string) =>
  cell
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/\(.*\)/g, "")
    .trim()
    .toLowerCase();

function linesOf(
  rows: readonly (readonly string[])[],
  header: readonly string[],
  first: number,
): { lines: BankLine[]; leftOut: number } {
  const [day, amount, reference] = [indexOf(header, "day"), indexOf(header, "amount"), indexOf(header, "reference")];
  const lines: BankLine[] = [];
  const seen = new Map<string, number>();
  let leftOut = 0;
  for (const [index, row] of rows.entries()) {
    if (row.every((cell) => cell === "")) continue;
    const arrivedOn = dayOf(row[day] ?? "");
    const amountCents = centsOf(row[amount] ?? "");
    if (arrivedOn === undefined || amountCents === undefined) {
      leftOut += 1;
      continue;
    }
    const said = plainText(row[reference] ?? "", REFERENCE_LENGTH) || "–";
    const text = JSON.stringify([arrivedOn, String(amountCents), said]);
    const ordinal = (seen.get(text) ?? 0) + 1;
    seen.set(text, ordinal);
    const lineKey = hash("sha256", `${text} ${ordinal}`);
    lines.push({ line: first + index, amountCents, arrivedOn, reference: said, lineKey });
  }
  return { lines, leftOut };
}

function dayOf(cell: string): string | undefined {
  const [, day, month, year] = /^(\d{2})[/-](\d{2})[/-](\d{4})/.exec(cell) ?? [];
  const text = year === undefined ? cell.slice(0, 10) : `${year}-${month}-${day}`;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return isDay && !isToCome(text) ? text : undefined;
}

/** Whether a day (`YYYY-MM-DD`) is in the future everywhere: what is dated so has not arrived, though banks list it. */
export const isToCome = (day: string): boolean => Date.parse(day) > Date.now() + DAY_MS;

/** Undefined for money out, and for what is no amount. */
function centsOf(cell: string): bigint | undefined {
  const text = cell.replaceAll(/R\$|\s/g, "").replace(/^\+/, "");
  const isDecimalComma = /,\d{1,2}$/.test(text);
  const number = isDecimalComma ? text.replaceAll(".", "").replace(",", ".") : text.replaceAll(",", "");
  if (!/^\d+(?:\.\d+)?$/.test(number)) return undefined;
  try {
    const cents = parseReais(number);
    return cents > 0n ? cents : undefined;
  } catch (error) {
    if (error instanceof InvalidNumberError) return undefined;
    throw error;
  }
}
