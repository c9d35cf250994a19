import { extname } from "node:path";
import { CsvError, parse } from "csv-parse/sync";
import { z } from "zod";
import type { FileProblem } from "../rules/api/admin-catalogue.ts";
import { boostSpanShape, momentSchema } from "../rules/api/boosts.ts";
import {
  createCashbackRequestSchema,
  createStoreRequestSchema,
  saveFanTokenRequestSchema,
} from "../rules/api/catalogue.ts";
import { saveClubRequestSchema } from "../rules/api/clubs.ts";
import { createOfferRequestSchema, type OfferFields } from "../rules/api/offers.ts";
import { ruleOf, sentenceOf } from "../rules/broken-rule.ts";
import { must } from "../rules/field-rules.ts";
import { isoTime } from "../rules/iso-time.ts";
import type { Language } from "../rules/languages.ts";
import { isRecord } from "../rules/records.ts";
import { plainCell, spreadsheetIn } from "../rules/spreadsheet.ts";
import { searchKey } from "../rules/text.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { messageOf } from "../rules/unknown-error.ts";

type StoreEntry = z.output<typeof createStoreRequestSchema>;
/** `place` is its position in the file. */
type CashbackEntry = z.output<typeof createCashbackRequestSchema> & { store: string; place: string };
/** Of the whole store without a category. */
type BoostEntry = z.output<typeof boostRowSchema> & { store: string; place: string };
/** Written by a person; a network's come by themselves. */
type OfferEntry = OfferFields & { store: string; place: string };
type FanTokenEntry = z.output<typeof saveFanTokenRequestSchema>;
type ClubEntry = z.output<typeof saveClubRequestSchema> & { place: string };

/** The content of a file. Stores are identified by name, categories by store and name, offers by store and title, fan tokens and clubs by slug. */
export type Catalogue = {
  stores: StoreEntry[];
  cashbacks: CashbackEntry[];
  boosts: BoostEntry[];
  offers: OfferEntry[];
  fanTokens: FanTokenEntry[];
  clubs: ClubEntry[];
};

/**
 * A file with bad rows: its good ones, and of the bad ones what is wrong and what they are, or belong to: names of stores
 * and slugs, in lower case.
 */
export type CatalogueFile = { catalogue: Catalogue; problems: readonly Found[]; refused: ReadonlySet<string> };

/** The rows that cannot be imported; the message names each with its line (CSV) or position (JSON) and the reason. */
export class CatalogueFileError extends TorcidaError {
  override readonly docs = "docs/product.md#catalogue-file";
  readonly found: readonly Found[];
  readonly problems: readonly FileProblem[];

  constructor(found: readonly Found[]) {
    super(found.map(({ place, text }) => (place ? `${place}: ${text}` : text)).join("\n"));
    this.found = found;
    this.problems = found.map(({ place, text: _, ...problem }) => ({ ...problem, place: positionOf(place) }));
  }
}

/** A problem with its place, such as "line 3", and its sentence. */
export type Found = Omit<FileProblem, "place"> & { place?: string; text: string };

/** The number in "line 3" or "row 3". */
const positionOf = (place: string | undefined) => (place === undefined ? undefined : Number(place.split(" ")[1]));

/** A row of a file: all values are text in CSV; JSON may have numbers and booleans. */
type Row = Record<string, unknown>;
type PlacedRow = { place: string; type: string; row: Row };

const boostRowSchema = z.strictObject({
  category: z.string().optional(),
  cashback_percent: boostSpanShape.percent,
  starts_at: momentSchema,
  ends_at: momentSchema,
});

/** The fields of each type of row: what the panel sends, and the name of a category's, a boost's or an offer's store. */
const FIELDS = new Map<string, readonly string[]>([
  ["store", Object.keys(createStoreRequestSchema.shape)],
  ["cashback", ["store", ...Object.keys(createCashbackRequestSchema.shape)]],
  ["boost", ["store", ...Object.keys(boostRowSchema.shape)]],
  ["offer", ["store", ...Object.keys(createOfferRequestSchema.shape)]],
  ["fan_token", Object.keys(saveFanTokenRequestSchema.shape).filter((field) => field !== "id")],
  ["club", Object.keys(saveClubRequestSchema.shape)],
]);

/** The columns of a CSV file; `type` determines which of them a row uses. */
const COLUMNS = ["type", ...new Set(["store", ...[...FIELDS.values()].flat()])];

export type CatalogueFormat = "csv" | "json";

/** The format of a file by its extension. @throws CatalogueFileError */
export function formatOf(path: string): CatalogueFormat {
  const ending = extname(path).toLowerCase();
  if (ending === ".json") return "json";
  if (ending === ".csv") return "csv";
  throw new CatalogueFileError([{ problem: "field", field: "format", text: `${path} must end in .csv or .json` }]);
}

/** Reads a file. @throws CatalogueFileError that names every bad row */
export function readCatalogue(format: CatalogueFormat, text: string): Catalogue {
  const { catalogue, problems } = readCatalogueFile(format, text);
  if (problems.length > 0) throw new CatalogueFileError(problems);
  return catalogue;
}

/** Reads a file with its bad rows, for whoever has more to say of the good ones. @throws CatalogueFileError if it has no rows to read */
export function readCatalogueFile(format: CatalogueFormat, text: string): CatalogueFile {
  refuseLostLetters(format, text);
  const rows = format === "json" ? jsonRows(text) : csvRows(text);
  const catalogue: Catalogue = { stores: [], cashbacks: [], boosts: [], offers: [], fanTokens: [], clubs: [] };
  const problems: Found[] = [];
  const refused = new Set<string>();
  const seen = new Map<string, string>();
  for (const { place, type, row } of rows) {
    const before = problems.length;
    const key = addRow(catalogue, { place, type, row }, problems);
    if (key === undefined || problems.length > before) {
      refused.add(String(row.store ?? row.slug ?? row.name).toLowerCase());
      continue;
    }
    const first = seen.get(key);
    if (first) {
      const values = [key, String(positionOf(first))];
      problems.push({ problem: "twice", place, values, text: `${key} appears twice, first at ${first}` });
    } else seen.set(key, place);
  }
  return { catalogue, problems, refused };
}

/** Checks one row and adds it; returns the key of what it describes. */
function addRow(catalogue: Catalogue, { place, type, row }: PlacedRow, problems: Found[]): string | undefined {
  const known = FIELDS.get(type);
  if (!known) {
    const text = `type must be store, cashback, boost, offer, fan_token or club, not "${type}"`;
    problems.push({ problem: "unknown_type", place, values: [type], text });
    return undefined;
  }
  const given = Object.keys(row).filter((field) => row[field] !== "" && row[field] !== undefined);
  for (const field of given.filter((one) => !known.includes(one))) {
    const text = `${field} is not a field of a ${type}`;
    problems.push({ problem: "unknown_field", place, values: [type, field], text });
  }
  // PostgreSQL stores no such character.
  for (const field of given.filter((one) => String(row[one]).includes("\0"))) {
    const broken = { rule: "control_characters" } as const;
    problems.push({ problem: "field", place, field, broken, text: `${field} ${must("control_characters")}` });
  }
  const fields = Object.fromEntries(given.filter((one) => known.includes(one)).map((one) => [one, row[one]]));
  const refuse = (error: z.ZodError) => {
    for (const issue of error.issues) {
      const field = issue.path.join(".") || type;
      const broken = ruleOf(issue);
      problems.push({ problem: "field", place, field, broken, text: `${field} ${sentenceOf(issue)}` });
    }
    return undefined;
  };
  if (type === "store") {
    const result = createStoreRequestSchema.safeParse({ ...fields, ...readFlag("featured", fields.featured) });
    if (!result.success) return refuse(result.error);
    catalogue.stores.push(result.data);
    return `store ${result.data.name.toLowerCase()}`;
  }
  if (type === "club") {
    const result = saveClubRequestSchema.safeParse(fields);
    if (!result.success) return refuse(result.error);
    catalogue.clubs.push({ ...result.data, place });
    return `club ${result.data.slug}`;
  }
  if (type !== "fan_token") {
    const { store, ...rest } = fields;
    if (typeof store !== "string") {
      const text = `store must be the name of the ${type === "cashback" ? "category" : type}'s store`;
      problems.push({ problem: "no_store_name", place, text });
      return undefined;
    }
    if (type === "offer") {
      const flag = readFlag("with_cashback", rest.with_cashback);
      const result = createOfferRequestSchema.safeParse({ ...rest, ...flag });
      if (!result.success) return refuse(result.error);
      catalogue.offers.push({ ...result.data, store, place });
      return `offer ${searchKey(result.data.title)} of ${store.toLowerCase()}`;
    }
    if (type === "boost") {
      const result = boostRowSchema.safeParse(rest);
      if (!result.success) return refuse(result.error);
      catalogue.boosts.push({ ...result.data, store, place });
      const { category = "", starts_at } = result.data;
      return `boost of ${store.toLowerCase()}, ${category.toLowerCase()} from ${isoTime(starts_at)}`;
    }
    const result = createCashbackRequestSchema.safeParse({
      ...rest,
      ...readFlag("is_default", rest.is_default),
      ...readFlag("is_by_hand", rest.is_by_hand),
    });
    if (!result.success) return refuse(result.error);
    catalogue.cashbacks.push({ ...result.data, store, place });
    return `category ${result.data.category.toLowerCase()} of ${store.toLowerCase()}`;
  }
  const result = saveFanTokenRequestSchema.safeParse(fields);
  if (!result.success) return refuse(result.error);
  catalogue.fanTokens.push(result.data);
  return `fan token ${result.data.slug}`;
}

/** A spreadsheet writes them in its language. */
const TRUE: readonly unknown[] = ["true", "1", "verdadeiro"];
const FALSE: readonly unknown[] = ["false", "0", "falso"];

function readFlag(field: string, value: unknown): Record<string, unknown> {
  const word = typeof value === "string" ? value.toLowerCase() : value;
  if (TRUE.includes(word)) return { [field]: true };
  if (FALSE.includes(word)) return { [field]: false };
  return value === undefined ? {} : { [field]: value };
}

/** What stands for bytes that are no UTF-8: spreadsheets save "CSV" in the encoding of their country. */
const LOST_LETTER = "\uFFFD";

/** A store's name that lost a letter would be another store, and go to the chain. */
function refuseLostLetters(format: CatalogueFormat, text: string): void {
  const before = text.split(LOST_LETTER, 1)[0] ?? "";
  if (before.length === text.length) return;
  const place = format === "csv" ? { place: `line ${before.split("\n").length}` } : {};
  const sentence = "A letter is not UTF-8 and was lost: save the file as CSV UTF-8";
  throw new CatalogueFileError([{ problem: "not_utf8", ...place, text: sentence }]);
}

/** A first line by which spreadsheets name their separator. */
const SEPARATOR_LINE = /^\uFEFF?sep=(.)\r?\n/i;

/** Spreadsheets of countries with a decimal comma separate by semicolons, and "Unicode text" by tabs. */
function delimiterOf(text: string): string {
  const header = /^.*/.exec(text)?.[0] ?? "";
  return [",", ";", "\t"].find((one) => header.includes(one)) ?? ",";
}

/** Far above what a whole catalogue has; each row takes time in which nobody else is answered. */
const MOST_ROWS = 100_000;
const TOO_MANY = `The file has more than ${MOST_ROWS} rows: import it in parts`;

function csvRows(text: string): PlacedRow[] {
  const named = SEPARATOR_LINE.exec(text)?.[1];
  if (text.split(/\r\n?|\n/, MOST_ROWS + 1).length > MOST_ROWS)
    throw new CatalogueFileError([{ problem: "not_csv", values: [String(MOST_ROWS + 1)], text: TOO_MANY }]);
  try {
    const records: { record: Row; info: { lines: number } }[] = parse(text, {
      bom: true,
      delimiter: named ?? delimiterOf(text),
      from_line: named === undefined ? 1 : 2,
      columns: true,
      info: true,
      skip_empty_lines: true,
      trim: true,
      // Spreadsheets leave out the empty cells at the end of a row.
      relax_column_count_less: true,
      cast: (value, { header }) => (header ? value : plainCell(value)),
    });
    return records.map(({ record: { type, ...row }, info }) => ({
      place: `line ${info.lines}`,
      type: String(type),
      row,
    }));
  } catch (error) {
    if (error instanceof CsvError) {
      const line = typeof error.lines === "number" ? [String(error.lines)] : [];
      throw new CatalogueFileError([{ problem: "not_csv", values: line, text: error.message }]);
    }
    throw error;
  }
}

function jsonRows(text: string): PlacedRow[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CatalogueFileError([{ problem: "not_json", text: `The file is not JSON: ${messageOf(error)}` }]);
  }
  if (!Array.isArray(value)) {
    const text = 'The file must be a list of rows, each with its "type"';
    throw new CatalogueFileError([{ problem: "not_rows", text }]);
  }
  if (value.length > MOST_ROWS) throw new CatalogueFileError([{ problem: "not_rows", text: TOO_MANY }]);
  return value.map((one, index) => {
    const { type, ...row }: Row = isRecord(one) ? one : {};
    return { place: `row ${index + 1}`, type: String(type), row };
  });
}

/** By this mark spreadsheets know that a CSV is UTF-8. */
const UTF8_MARK = "\uFEFF";
const DECIMALS = ["cashback_percent", "commission_percent"];

/** Writes rows; the file can be imported again. A CSV is for the spreadsheets of a language. docs/product.md#spreadsheets */
export function writeCatalogue(format: CatalogueFormat, rows: readonly Row[], language: Language): string {
  const bare = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
  if (format === "json") return `${JSON.stringify(bare, null, 2)}\n`;
  const { number, rows: written } = spreadsheetIn(language);
  const cellOf = (column: string, value: unknown) => {
    const text = String(value ?? "");
    return DECIMALS.includes(column) ? number(text) : text;
  };
  const cells = bare.map((row) => COLUMNS.map((column) => cellOf(column, row[column])));
  return UTF8_MARK + written([COLUMNS, ...cells]);
}
