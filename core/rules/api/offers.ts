import { z } from "zod";
import { isHiddenCharacter, isReadableName } from "../chain-text.ts";
import { limit, must } from "../field-rules.ts";
import { momentSchema } from "./boosts.ts";
import { slugSchema } from "./catalogue.ts";
import { answerOf, httpsUrlSchema, idSchema, PAGE_ROWS, pageLimitSchema } from "./common.ts";

export const OFFER_TITLE_LETTERS = 120;
export const OFFER_CODE_LETTERS = 40;
export const OFFER_TERMS_LETTERS = 1_000;

/** One line that is read as it is stored. */
const lineSchema = (maximum: number) =>
  z
    .string()
    .trim()
    .max(maximum, limit("max_length", maximum))
    .refine((text) => text === "" || isReadableName(text), must("hidden_characters"));
const orNone = <Schema extends z.ZodType<string>>(schema: Schema) =>
  schema.transform((text) => (text === "" ? null : text)).nullish();
const termsSchema = z
  .string()
  .trim()
  .max(OFFER_TERMS_LETTERS, limit("max_length", OFFER_TERMS_LETTERS))
  .refine((text) => ![...text.replaceAll(/\r?\n/g, " ")].some(isHiddenCharacter), must("hidden_characters"));

/** What a person says of an offer; its code makes it one of kind `code`. docs/product.md#offers */
export const OFFER_SHAPE = {
  title: lineSchema(OFFER_TITLE_LETTERS).pipe(z.string().min(1, must("empty"))),
  code: orNone(lineSchema(OFFER_CODE_LETTERS)),
  terms: orNone(termsSchema),
  /** A page of the store's shop. */
  url: z.union([z.literal("").transform(() => null), httpsUrlSchema]).nullish(),
  /** Null: now. */
  starts_at: momentSchema.nullish(),
  /** Null: until somebody ends it. */
  ends_at: momentSchema.nullish(),
  /** False: the shop pays no cashback where it is used. */
  with_cashback: z.boolean().optional(),
};
export const createOfferRequestSchema = z.strictObject(OFFER_SHAPE);
export type OfferFields = z.output<typeof createOfferRequestSchema>;
/** An absent field keeps its value; null clears it. */
export const updateOfferRequestSchema = createOfferRequestSchema.partial();

export const offerSchema = z.object({
  id: z.number(),
  store_id: z.number(),
  /** The store's name. */
  store: z.string(),
  /** `code`: for everybody who types it in the shop; `deal`: without one. */
  kind: z.enum(["code", "deal"]),
  /** As the shop or its network wrote it, in its language. */
  title: z.string(),
  code: z.string().nullable(),
  terms: z.string().nullable(),
  /** A page of the store's shop; a click leads there by `POST /api/links`. */
  url: z.string().nullable(),
  starts_at: z.iso.datetime(),
  /** Null if nobody said one. */
  ends_at: z.iso.datetime().nullable(),
  /** False if the shop pays no cashback where it is used. */
  with_cashback: z.boolean(),
});
export type Offer = z.infer<typeof offerSchema>;

/** The query of the offers that run. */
export const offersQuerySchema = z.object({
  store_id: idSchema.optional(),
  /** The slug of a club: of its stores. */
  club: slugSchema.optional(),
  /** The `next_after` of the previous page. */
  after: z.string().min(1, must("empty")).max(200, limit("max_length", 200)).optional(),
  limit: pageLimitSchema.default(PAGE_ROWS),
});
export const offersResponseSchema = answerOf({
  /** Those that end first come first. */
  offers: z.array(offerSchema),
  /** Pass as `after` to get the next page; null on the last. */
  next_after: z.string().nullable(),
});

/** As staff see it: with those that have not begun or are over, and who says it. */
export const adminOfferSchema = offerSchema.extend({
  state: z.enum(["planned", "running", "over"]),
  /** The network that says it, which alone changes it; null if a person does. */
  network: z.string().nullable(),
  account: z.string().nullable(),
  /** Whether staff may delete it: a person wrote it, or its network has not listed it for three days. */
  can_delete: z.boolean(),
});
export type AdminOffer = z.infer<typeof adminOfferSchema>;
export const adminOffersResponseSchema = answerOf({
  /** Newest first. */
  offers: z.array(adminOfferSchema),
  /** Pass as `before` to get the next page; null on the last. */
  next_before: z.number().nullable(),
});
