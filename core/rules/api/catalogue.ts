import { z } from "zod";
import { countLetters, isReadableName, STORE_NAME_BYTES, STORE_NAME_LETTERS } from "../chain-text.ts";
import { SAMPLE_FAN_TOKENS } from "../fan-token-samples.ts";
import { custom, limit, must } from "../field-rules.ts";
import { translations } from "../languages.ts";
import { isFillable, linkTemplate } from "../link-template.ts";
import { InvalidNumberError, numberIssue, parsePercent } from "../money.ts";
import { LIST_LIMIT, STORES_BY_ID_MAX } from "../product.ts";
import { keysOf, recordOf } from "../records.ts";
import { SLUG_PATTERN } from "../text.ts";
import { toWalletAddress } from "../wallet-address.ts";
import { answerOf, httpsUrlSchema, idSchema, isPublicHttpsUrl, pageLimitSchema } from "./common.ts";
import { shortText } from "./short-text.ts";

export const text = (maximum: number) => z.string().trim().max(maximum, limit("max_length", maximum));
const optionalText = (maximum: number) =>
  text(maximum)
    .transform((value) => (value === "" ? null : value))
    .nullish();
/** A template: `{click}` is replaced by the click, `{url}` by the page that it leads to. */
const linkTemplateSchema = z
  .string()
  .trim()
  .max(2_048, limit("max_length", 2_048))
  .overwrite(linkTemplate)
  .refine(isFillable, must("link_names"))
  .refine(
    (text) => isPublicHttpsUrl(text.replaceAll("{click}", "click").replaceAll("{url}", "url")),
    must("public_link"),
  );
const optionalLink = z.union([z.literal("").transform(() => null), linkTemplateSchema]).nullish();
const optionalName = z
  .union([z.literal("").transform(() => null), shortText(32, must("key")).regex(/^[a-z0-9-]{1,32}$/, must("key"))])
  .nullish();
/** Of a fan token or a club. docs/product.md#slug */
export const slugSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(32, { error: must("slug"), abort: true })
  .regex(SLUG_PATTERN, must("slug"));
export const optionalSlug = z.union([z.literal("").transform(() => null), slugSchema]).nullish();
const optionalCount = (maximum: number) =>
  z
    .union(
      [
        z.literal("").transform(() => null),
        z.coerce.number().int().min(0, must("not_negative")).max(maximum, limit("max", maximum)),
      ],
      must("whole"),
    )
    .nullish();
/** An uploaded picture, by the hash of its content. */
const UPLOADED = /^\/api\/assets\/[0-9a-f]{64}\.(?:png|jpg|webp)$/;
const logoSchema = z
  .string()
  .trim()
  .max(2_048, limit("max_length", 2_048))
  .refine((text) => UPLOADED.test(text) || isPublicHttpsUrl(text), must("public_link"));
const optionalLogo = z.union([z.literal("").transform(() => null), logoSchema]).nullish();
const optionalUrl = z.union([z.literal("").transform(() => null), httpsUrlSchema]).nullish();

/** A domain of a shop, as pasted or typed: `https://www.Loja.com.br/` is `loja.com.br`. */
export function domainIn(text: string): string | undefined {
  const host = URL.parse(text.includes("//") ? text : `https://${text}`)?.hostname.replace(/^www\./, "");
  return host && /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/.test(host) ? host : undefined;
}

/** Before a domain whose links are shortened: where they lead, only the shop knows. */
export const SHORT_DOMAIN = "short:";
const DOMAINS = 20;
/** A text with commas, or a list of them as answers have it. */
const domainsSchema = z
  .preprocess((given) => (Array.isArray(given) ? given.join(",") : given), shortText(DOMAINS * 300, must("domain")))
  .transform((given, context) => {
    const typed = given.split(/[,;\s]+/).filter(Boolean);
    const domains = typed.map((one) => {
      const isShort = one.startsWith(SHORT_DOMAIN);
      const domain = domainIn(isShort ? one.slice(SHORT_DOMAIN.length) : one);
      return domain && `${isShort ? SHORT_DOMAIN : ""}${domain}`;
    });
    if (domains.length <= DOMAINS && domains.every(Boolean)) return [...new Set(domains)].join(",") || null;
    context.addIssue({ code: "custom", message: must("domain") });
    return z.NEVER;
  })
  .nullish();

/**
 * The optional fields of stores: what a request may say. Answers, files, columns and the panel's form follow these tables; a
 * new field needs its column (`core/database/migrations`) and its place in the panel (`frontend/admin/stores/store-fields.ts`).
 */
export const STORE_TEXTS = {
  club: optionalText(60),
  category: optionalText(60),
  description: optionalText(1_000),
  logo: optionalLogo,
  affiliate_link: optionalLink,
  /** The network, and our account with it, that report its sales; null if there is at most one shop account. */
  network: optionalName,
  account: optionalName,
  /** The ids by which the network's reports name it, separated by commas; links are built from the first. */
  advertiser_id: optionalText(200),
  /** Admitad: the code in links, where reports have another id. */
  link_code: optionalText(64),
  /** Whose orders they are: an order of one merchant pays once. Null: the host of `store_url` stands for it. */
  merchant: optionalText(120),
  store_url: optionalUrl,
};
/** Most stores have none of these: answers leave them out. */
export const RARE_STORE_TEXTS = {
  /** Cashback exclusions, beyond the shop-wide rules. */
  terms: optionalText(1_000),
  /** In another language; without it, pages in that language show the Portuguese text. */
  ...translations({
    ...{ country: optionalText(60), category: optionalText(60) },
    ...{ description: optionalText(1_000), terms: optionalText(1_000) },
  }),
};
/** Of a category: the same. */
export const CATEGORY_TRANSLATIONS = keysOf(translations({ category: true }));
/** Null if the shop-wide values apply. */
export const STORE_COUNTS = {
  mint_delay_seconds: optionalCount(365 * 24 * 3_600),
  hold_seconds: optionalCount(365 * 24 * 3_600),
  claim_days: optionalCount(730),
};

const categoryBoostSchema = z.object({
  /** Decimal text: the percent before the boost and after it. */
  plain_percent: z.string(),
  ends_at: z.iso.datetime(),
});

export const storeCashbackSchema = z.object({
  id: z.number(),
  category: z.string(),
  ...translations({ category: z.string().optional() }),
  /** Decimal text, no trailing zeros; with the boost that runs. */
  cashback_percent: z.string(),
  /** What raises the percent now; absent if nothing does. docs/product.md#boost */
  boost: categoryBoostSchema.optional(),
  /** The network's commission group it applies to; absent if it is not for a particular group. */
  group_code: z.string().optional(),
  /** True for the category of all other groups. */
  is_default: z.literal(true).optional(),
  /** True for one by which no sale counts, as networks report them: it is not promised. docs/product.md#promise */
  is_unpaid: z.literal(true).optional(),
});
export type StoreCashback = z.infer<typeof storeCashbackSchema>;

/** What the staff sees of a category beside it. docs/product.md#followed-percent */
export const staffCashbackSchema = storeCashbackSchema.extend({
  /** False: the percent follows the commission. */
  is_by_hand: z.boolean().optional(),
  /** Its own part of the commission, in hundredths; null: the store's, the account's or the shop's. */
  cashback_share_percent: z.number().nullish(),
  /** What the network pays, as it was last read; null: not known, or a fixed sum. */
  commission_percent: z.string().nullish(),
  /** Whether the network no longer has its group. */
  is_group_gone: z.boolean().optional(),
});
export type StaffCashback = z.infer<typeof staffCashbackSchema>;

const storeBoostSchema = z.object({
  /** Decimal text. */
  percent: z.string(),
  ends_at: z.iso.datetime(),
  /** Whether it raises every category. */
  is_whole: z.boolean(),
});
export type StoreBoost = z.infer<typeof storeBoostSchema>;

export const storeSchema = z.object({
  id: z.number(),
  name: z.string(),
  country: z.string(),
  ...recordOf(keysOf(STORE_TEXTS), () => z.string().nullable()),
  ...recordOf(keysOf(RARE_STORE_TEXTS), () => z.string().optional()),
  ...recordOf(keysOf(STORE_COUNTS), () => z.number().nullable()),
  /** By which a link to one of its pages is known, besides the host of `store_url`. docs/product.md#links */
  domains: z.array(z.string()).optional(),
  /** The club that its `club` means, or that a person chose. docs/product.md#club-match */
  club_slug: z.string().nullable().optional(),
  featured: z.boolean(),
  /** Why nobody can buy there for now, and since when; null or absent: everybody can. docs/product.md#programmes-paused */
  paused: z.object({ since: z.iso.datetime(), reason: z.string() }).nullish(),
  /** Whether a person chose it; otherwise its token decides nothing here. */
  club_accepted: z.boolean().optional(),
  /** The fan token of that club, if a person chose it: beside the tokens that match `club` it earns the club's bonus. */
  club_token_slug: z.string().nullable().optional(),
  /** Whether it cannot sell yet because its link, percent or on-chain name is missing. Only admins see drafts. */
  is_draft: z.boolean(),
  /** Range text: '4%', '2.5% - 7%' or '0%'. */
  cashback: z.string(),
  cashback_min: z.number(),
  cashback_max: z.number(),
  max_cashback: z.number(),
  cashbacks: z.array(storeCashbackSchema),
  /** The boost of its highest percent; absent if none runs. */
  boost: storeBoostSchema.optional(),
});
export type Store = z.infer<typeof storeSchema>;

export const staffStoreSchema = storeSchema.extend({
  cashback_share_percent: z.number().nullish(),
  cashbacks: z.array(staffCashbackSchema),
});
export type StaffStore = z.infer<typeof staffStoreSchema>;

export const STORE_SORTS = ["name", "cashback", "newest"] as const;
export type StoreSort = (typeof STORE_SORTS)[number];

const NONE = z.literal("").transform(() => undefined);
const filterSchema = z.string().trim().max(60, limit("max_length", 60)).optional();

/** The query of the list of stores; an empty value is none. */
export const storesQuerySchema = z.object({
  /** Words of a store, or their beginnings, in any order; case and accents do not matter. */
  query: z.string().trim().max(128, limit("max_length", 128)).optional(),
  country: filterSchema,
  category: filterSchema,
  club: filterSchema,
  featured: z
    .union([NONE, z.enum(["true", "false"]).transform((value) => value === "true")], { error: "must be true or false" })
    .optional(),
  /** By name, the highest percent first, or the newest first; without it by id. */
  sort: z.union([NONE, z.enum(STORE_SORTS)], { error: `must be one of ${STORE_SORTS.join(", ")}` }).optional(),
  /** The `next_after` of the previous page. */
  after: z.string().min(1, must("empty")).max(400, limit("max_length", 400)).optional(),
  limit: pageLimitSchema.default(LIST_LIMIT),
  /** Only these stores, whatever else is asked; for admins also drafts. */
  ids: shortText(16 * STORES_BY_ID_MAX, `must be at most ${STORES_BY_ID_MAX} ids`)
    .regex(/^[1-9]\d{0,14}(?:,[1-9]\d{0,14})*$/, "must be ids with commas between them")
    .transform((text) => text.split(",").map(BigInt))
    .refine((ids) => ids.length <= STORES_BY_ID_MAX, `must be at most ${STORES_BY_ID_MAX} ids`)
    .optional(),
});

/** The values of all stores on offer: trimmed, distinct whatever their case and accents, in Portuguese order. */
export const storeFiltersSchema = z.object({
  country: z.array(z.string()),
  category: z.array(z.string()),
  club: z.array(z.string()),
  /** By language and field, the texts of the values that have one. */
  translations: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.string()))).optional(),
});
export type StoreFilters = z.infer<typeof storeFiltersSchema>;

export const storesResponseSchema = answerOf({
  stores: z.array(storeSchema),
  /** Pass as `after` to get the next page; null on the last. */
  next_after: z.union([z.number(), z.string()]).nullable(),
  /** The number of matches, capped at 10,001, which means that they were not counted. */
  total: z.number(),
  filters: storeFiltersSchema,
});
/** What the caller can earn there: a visitor no bonus, a user the one of their best token. docs/product.md#promise */
const storePromiseSchema = z.object({
  /** Decimal text: the highest of the store's percents, and what the reader earns with the bonus. */
  base_percent: z.string(),
  bonus_percent: z.string(),
  total_percent: z.string(),
  /** The token of the bonus; null without one. */
  token_slug: z.string().nullable(),
  /** Until when a boost makes the base what it is; null if it stays. */
  boost_ends_at: z.iso.datetime().nullable(),
});
export type StorePromise = z.infer<typeof storePromiseSchema>;

export const storeResponseSchema = answerOf({
  /** With its part of commissions and how its percents follow them for the staff alone. */
  store: staffStoreSchema,
  cashbacks: z.array(storeCashbackSchema),
  /** Absent in answers of 1.0.0. */
  promise: storePromiseSchema.optional(),
});

/** The domains of the stores on offer that have one; shortened links' apart. docs/product.md#links */
export const storeDomainsResponseSchema = answerOf({
  stores: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      domains: z.array(z.string()),
      /** How long a click counts there, if not the usual 60 days. docs/product.md#sales-click */
      claim_days: z.number().optional(),
    }),
  ),
});

/** In days, each null while too few of the store's sales took the step. docs/product.md#sales-pace */
export const storePaceResponseSchema = answerOf({
  pace: z.object({
    /** From the click to the first report. */
    report: z.number().nullable(),
    /** From the report to the confirmation. */
    confirm: z.number().nullable(),
    /** From the confirmation to the payment. */
    pay: z.number().nullable(),
  }),
});

export const fanTokenSchema = z.object({
  id: z.number(),
  name: z.string(),
  slug: z.string(),
  image: z.string(),
  symbol: z.string(),
  /** The ERC-20 contract whose balance counts, or null. */
  contract: z.string().nullable(),
});
export type FanToken = z.infer<typeof fanTokenSchema>;
export const fanTokensResponseSchema = answerOf({ data: z.array(fanTokenSchema) });

/** A name that the chain accepts; it is drawn on every ticket. docs/product.md#store-name. */
const storeNameSchema = text(STORE_NAME_BYTES)
  .min(1, must("empty"))
  .refine((name) => countLetters(name) <= STORE_NAME_LETTERS, custom("max_length", STORE_NAME_LETTERS))
  .refine((name) => new TextEncoder().encode(name).length <= STORE_NAME_BYTES, custom("max_bytes", STORE_NAME_BYTES))
  .refine((name) => !/\p{Cc}/u.test(name), must("control_characters"))
  .refine((name) => !/^https?:/i.test(name), must("link"))
  .refine(isReadableName, must("hidden_characters"));

/** An absent field keeps its value; null or "" clears it. */
const sharePercentSchema = z
  .union(
    [
      z.literal("").transform(() => null),
      z.coerce.number().int().min(0, must("not_negative")).max(100, limit("max", 100)),
    ],
    must("whole"),
  )
  .nullish();

export const createStoreRequestSchema = z.strictObject({
  name: storeNameSchema,
  country: text(60).min(1, must("empty")),
  ...STORE_TEXTS,
  ...RARE_STORE_TEXTS,
  ...STORE_COUNTS,
  domains: domainsSchema,
  cashback_share_percent: sharePercentSchema,
  /** The club that a person chooses for it; null: what its `club` means by name. docs/product.md#club-match */
  club_slug: optionalSlug,
  featured: z.boolean().optional(),
});
export const updateStoreRequestSchema = createStoreRequestSchema.partial();

export const percentSchema = z
  .union([z.number(), z.string()], { error: must("percent") })
  .transform((value, context) => {
    try {
      if (value === "") throw new InvalidNumberError(must("empty"));
      return parsePercent(value);
    } catch (error) {
      context.addIssue(numberIssue(error));
      return z.NEVER;
    }
  });

/** A percent from 0 to 100 with at most 2 decimals, as a number or text with a dot or comma, to basis points. */
export const createCashbackRequestSchema = z.strictObject({
  category: text(60).min(1, must("empty")),
  ...translations({ category: optionalText(60) }),
  cashback_percent: percentSchema,
  group_code: optionalText(64),
  is_default: z.boolean().optional(),
  /** False: the percent follows the commission from now on, and `cashback_percent` does not count. */
  is_by_hand: z.boolean().optional(),
  cashback_share_percent: sharePercentSchema,
});
export const updateCashbackRequestSchema = createCashbackRequestSchema
  .partial()
  .refine((fields) => Object.values(fields).some((value) => value !== undefined), {
    path: ["cashback_percent"],
    message: "is missing: send what is to change",
  });

/** The two built-in tokens have no picture of their own. */
const BUILT_IN_SLUGS = SAMPLE_FAN_TOKENS.map(({ slug }) => slug);

/** Updates with an `id`, creates without one (or with null, as forms send it). */
export const saveFanTokenRequestSchema = z
  .strictObject({
    id: idSchema.nullish(),
    name: text(60).min(1, must("empty")),
    slug: slugSchema,
    image: z
      .union([z.literal(""), httpsUrlSchema])
      .nullish()
      .transform((image) => image ?? ""),
    symbol: text(12).optional(),
    contract: shortText(42, must("contract"))
      .regex(/^0x[0-9a-fA-F]{40}$/, must("contract"))
      .transform(toWalletAddress)
      .nullish(),
  })
  .refine(({ slug, image }) => image !== "" || BUILT_IN_SLUGS.includes(slug), {
    path: ["image"],
    message: "is missing: only the built-in tokens need no picture",
  });
