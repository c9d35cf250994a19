import { z } from "zod";
import { type BrokenRule, must } from "../field-rules.ts";
import { staffStoreSchema } from "./catalogue.ts";
import { answerOf } from "./common.ts";
import { listQuerySchema } from "./lists.ts";
import { shortText } from "./short-text.ts";

export const STORE_STATES = ["draft", "ready"] as const;

/** What else the list is filtered by: paused by its network, a percent that no commission covers. */
const STORE_MARKS = ["paused", "uncovered"] as const;

/** What is missing from a draft. */
export const STORE_LACKS = [
  /** Neither a link nor the data to build one. */
  "link",
  /** No category with a percent above 0. */
  "rate",
  /** Its name on chain, which the api registers. */
  "chain_name",
] as const;
export type StoreLack = (typeof STORE_LACKS)[number];

export const storesListQuerySchema = listQuerySchema([...STORE_STATES, ...STORE_MARKS], ["id", "name"]);

/** Clicks, and the sales that a click led to; declined sales are left out. */
const conversionShape = { clicks: z.number(), sales: z.number() };

export const conversionResponseSchema = answerOf({
  /** The last twelve months that have a click or a sale, newest first; `month` is `YYYY-MM`, UTC. */
  months: z.array(z.object({ month: z.string(), ...conversionShape })),
});

export const adminStoreSchema = staffStoreSchema.extend({
  state: z.enum(STORE_STATES),
  /** What is missing before it can be offered; empty once it is ready. */
  missing: z.array(z.enum(STORE_LACKS)),
  /** Of this month and the two before. */
  conversion: z.object(conversionShape),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type AdminStore = z.infer<typeof adminStoreSchema>;

/** Where a buyer would be sent, with a click that belongs to nobody. */
export const testClickResponseSchema = answerOf({
  click_id: z.string(),
  /** Null if the store has no link. */
  url: z.string().nullable(),
  /** Whether the link contains the click, so that a sale can be attributed. */
  carries_click: z.boolean(),
});

/** Metadata read from a token's contract. */
export const tokenContractQuerySchema = z.object({
  contract: shortText(42, must("contract")).regex(/^0x[0-9a-fA-F]{40}$/, must("contract")),
});
export const tokenContractResponseSchema = answerOf({
  contract: z.string(),
  symbol: z.string(),
  name: z.string().nullable(),
  decimals: z.number(),
});

export const catalogueFormatSchema = z.enum(["csv", "json"], { error: must("file_format") });
export const catalogueExportQuerySchema = z.object({ format: catalogueFormatSchema.default("csv") });

/** One row of the file: a store, a category, a boost, an offer, a fan token or a club. */
export const catalogueRowsSchema = z.array(
  z.looseObject({ type: z.enum(["store", "cashback", "boost", "offer", "fan_token", "club"]) }),
);

export const catalogueImportRequestSchema = z.strictObject({
  format: catalogueFormatSchema,
  /** The whole file. */
  content: z.string().min(1, must("empty")),
  /** False only lists the changes. */
  apply: z.boolean().default(false),
});
/**
 * One change of an import. `of` is a category's, an offer's or a boost's store, which is a boost's `name` if it is for all of it;
 * `from` is absent if the earlier value does not matter. `waits`: for a second person.
 */
export const catalogueChangeSchema = z.object({
  kind: z.enum(["create", "update"]),
  /** What 1.0.0 knows; `what_detail` is the newer word. */
  what: z.enum(["store", "cashback", "boost", "fan_token"]),
  what_detail: z.enum(["offer", "club"]).optional(),
  name: z.string(),
  of: z.string().optional(),
  waits: z.literal(true).optional(),
  fields: z.array(z.object({ field: z.string(), from: z.string().optional(), to: z.string().nullable() })),
});
export type CatalogueChange = z.infer<typeof catalogueChangeSchema>;

/**
 * What is wrong in an imported file. `place` is the line of a CSV file or the position in a JSON list; `values` are what
 * the sentence names, in its order.
 */
export type FileProblem = {
  problem:
    | "field"
    | "unknown_type"
    | "unknown_field"
    | "no_store_name"
    | "no_store"
    | "no_club"
    | "no_token"
    | "club_name_taken"
    | "twice"
    | "group_taken"
    | "second_default"
    | "no_category"
    | "offer_span"
    | "store_page"
    | "boost_known"
    | "boost_span"
    | "boost_too_high"
    | "percent_unagreed"
    | "contract_taken"
    | "not_json"
    | "not_rows"
    | "not_csv"
    | "not_utf8"
    | "no_chain";
  place?: number | undefined;
  field?: string;
  broken?: BrokenRule;
  values?: string[];
};

export const catalogueImportResponseSchema = answerOf({
  message: z.string(),
  applied: z.boolean(),
  /** One line per change, and the same for programs. */
  changes: z.array(z.string()),
  preview: z.array(catalogueChangeSchema),
});

export const logoResponseSchema = answerOf({
  message: z.string(),
  /** The picture's URL; it is already set as the store's logo. */
  logo: z.string(),
});
