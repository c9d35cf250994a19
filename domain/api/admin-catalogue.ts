import { z } from "zod";
import { storeSchema } from "./catalogue.ts";
import { listQuerySchema } from "./lists.ts";

export const STORE_STATES = ["draft", "ready"] as const;

/** What a draft lacks. */
export const STORE_LACKS = [
  /** Neither a link nor what one is built from. */
  "link",
  /** No category with a percent above 0. */
  "rate",
  /** Its name on the chain, which the api registers. */
  "chain_name",
] as const;
export type StoreLack = (typeof STORE_LACKS)[number];

export const storesListQuerySchema = listQuerySchema(STORE_STATES, ["id", "name"]);

export const adminStoreSchema = storeSchema.extend({
  state: z.enum(STORE_STATES),
  /** What it lacks to be on offer; empty once it is ready. */
  missing: z.array(z.enum(STORE_LACKS)),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type AdminStore = z.infer<typeof adminStoreSchema>;

/** Where a buyer would be sent, with a click that is nobody's. */
export const testClickResponseSchema = z.object({
  success: z.literal(true),
  click_id: z.string(),
  /** Null if the store has no link. */
  url: z.string().nullable(),
  /** Whether the link carries the click, so that a sale can be known. */
  carries_click: z.boolean(),
});

/** What a token's contract says of itself. */
export const tokenContractQuerySchema = z.object({
  contract: z.string().regex(/^0x[0-9a-fA-F]{40}$/, "must be a contract address"),
});
export const tokenContractResponseSchema = z.object({
  success: z.literal(true),
  contract: z.string(),
  symbol: z.string(),
  name: z.string().nullable(),
  decimals: z.number(),
});

export const catalogueFormatSchema = z.enum(["csv", "json"], { error: "must be csv or json" });
export const catalogueExportQuerySchema = z.object({ format: catalogueFormatSchema.default("csv") });

/** One row of the file: a store, a category or a fan token. */
export const catalogueRowsSchema = z.array(z.looseObject({ type: z.enum(["store", "cashback", "fan_token"]) }));

export const catalogueImportRequestSchema = z.strictObject({
  format: catalogueFormatSchema,
  /** The whole file. */
  content: z.string().min(1, "must not be empty"),
  /** False lists the changes and makes none. */
  apply: z.boolean().default(false),
});
export const catalogueImportResponseSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  applied: z.boolean(),
  /** One line a change. */
  changes: z.array(z.string()),
});

export const logoResponseSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  /** The picture's address, already the store's logo. */
  logo: z.string(),
});
