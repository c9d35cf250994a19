import { z } from "zod";
import { limit, must } from "../field-rules.ts";
import { PURCHASE_STATUSES } from "../purchase/life.ts";
import { DEVICES } from "../session.ts";
import { joinFullName, splitFullName } from "../text.ts";
import { addressSchema, answerOf, challengeSchema, doneSchema } from "./common.ts";
import { languageSchema } from "./mail.ts";
import { debtSchema, purchaseRecordSchema, reviewSchema, statementSchema, totalsSchema } from "./purchases.ts";
import { shortText } from "./short-text.ts";

export const checkUserRequestSchema = z.object({ address: addressSchema });
/** `challenge` is for login if the wallet is registered, otherwise for registration. */
export const checkUserResponseSchema = answerOf({
  exists: z.boolean(),
  challenge: challengeSchema,
});
export type CheckUserResponse = z.infer<typeof checkUserResponseSchema>;

const signature = shortText(8_194, "must be 0x and hex digits")
  .regex(/^0x(?:[0-9a-fA-F]{2}){1,4096}$/, { error: "must be 0x and hex digits", abort: true })
  .refine((text): text is `0x${string}` => text.startsWith("0x"));
const nameText = z.string().trim().min(1, must("empty")).max(80, limit("max_length", 80));

/** Whether the last name has room, too, once the full name is split again. docs/product.md#full-name */
export const hasRoomForNames = (names: { first_name: string; last_name: string }): boolean =>
  nameText.safeParse(splitFullName(joinFullName(names.first_name, names.last_name)).lastName).success;

export const registerRequestSchema = z.object({
  address: addressSchema,
  first_name: nameText,
  last_name: nameText,
  email: shortText(254, limit("max_length", 254)).check(z.email(must("email"))),
  signature,
  nonce: z.string().max(64).optional(),
  /** E-mails about every purchase, in this language, once the address is verified. docs/product.md#mail */
  mail_language: languageSchema.optional(),
  /** The code of a friend's link; one that says nothing is ignored. docs/product.md#invite */
  invite: z.string().max(64).optional(),
});
/** The signature of a wish: of a challenge for it. */
export const provenWishSchema = z.object({ nonce: z.string().max(64).optional(), signature: signature.optional() });
/** Another e-mail needs its signature; without one, 403 `SIGNATURE_NEEDED` says what to sign. */
export const updateProfileRequestSchema = registerRequestSchema
  .pick({ first_name: true, last_name: true, email: true })
  .extend(provenWishSchema.shape);
export const eraseRequestSchema = provenWishSchema.default({});
export const challengeRequestSchema = z.strictObject({ purpose: z.enum(["erase", "email"]) });
export const challengeResponseSchema = answerOf({ challenge: challengeSchema });
export const registerResponseSchema = answerOf({ message: z.string(), token: z.string() });

export const loginRequestSchema = z.object({ address: addressSchema, signature, nonce: z.string().max(64).optional() });
export const loginResponseSchema = answerOf({ token: z.string() });

export const nftAttributeSchema = z.object({ trait_type: z.string(), value: z.string() });
/** docs/product.md#ticket-attributes. */
export const purchaseNftSchema = z.object({
  /** Decimal text. */
  tokenId: z.string(),
  txHash: z.string(),
  contract: z.string(),
  /** When its owner burnt it; it counts as it did. docs/product.md#burnt */
  burnt_at: z.iso.datetime().nullish(),
  /** Of its store's club, in whose colours it is shown. docs/product.md#ticket-look */
  club_slug: z.string().nullish(),
  name: z.string(),
  symbol: z.string(),
  metadata: z.object({
    name: z.string(),
    image: z.string(),
    description: z.string(),
    attributes: z.array(nftAttributeSchema),
  }),
});
export type PurchaseNft = z.infer<typeof purchaseNftSchema>;

const momentSchema = z.object({ at: z.iso.datetime(), tx: z.string() });
/** The public view of a ticket, with the time and transaction of each step. */
export const publicTicketSchema = purchaseNftSchema.extend({
  store_id: z.number(),
  status: z.enum(PURCHASE_STATUSES),
  /** `returned`: it was confirmed, and its return is final. docs/product.md#return-final */
  status_detail: z.string().nullish(),
  minted: momentSchema,
  /** Confirmed, cancelled or returned. */
  settled: momentSchema.nullable(),
  burnt: momentSchema.nullish(),
  /** When the contract's admin took the picture of its own off that it was minted with. */
  picture_cleared: momentSchema.nullish(),
  /** `amount` is CHZ; `value` what it was worth in reais on that day, at the rate of `rate_day` if it is an earlier one's. */
  paid: momentSchema
    .extend({ amount: z.string(), value: z.string().nullish(), rate_day: z.string().nullish() })
    .nullable(),
  /** Nothing will be paid for it any more: it is paid, cancelled, or its cashback was kept for a debt. */
  is_over: z.boolean(),
});
export type PublicTicket = z.infer<typeof publicTicketSchema>;

/** `balance` is decimal text in whole tokens, null if unknown; `contract` is empty if the token has none. */
export const heldTokenSchema = z.object({
  symbol: z.string(),
  balance: z.string().nullable(),
  decimals: z.number(),
  contract: z.string(),
});
export type HeldToken = z.infer<typeof heldTokenSchema>;

export const meResponseSchema = answerOf({
  data: z.object({
    wallet: z.string(),
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    /** Decimal text in CHZ; null while the chain does not answer. */
    nativeBalance: z.string().nullable(),
    /** Why the balances are unknown; absent if they are known. */
    balance_reason: z.literal("CHAIN_UNAVAILABLE").optional(),
    tokens: z.array(heldTokenSchema),
    nfts: z.array(purchaseNftSchema),
    purchases: z.array(purchaseRecordSchema),
    totals: totalsSchema,
    statement: statementSchema,
    reviews: z.array(reviewSchema),
    /** When the profile will be erased, and whether its owner asked for it; null if it stays. */
    erasure: z.object({ takes_effect_at: z.iso.datetime(), is_own: z.boolean() }).nullable().optional(),
    /** The newest debts; what was kept for them is told by the purchases. */
    debts: z.array(debtSchema),
  }),
});
export type Me = z.infer<typeof meResponseSchema>["data"];

export const isAdminResponseSchema = answerOf({ isAdmin: z.boolean() });

/** The user's open sessions. docs/product.md#session */
export const sessionsResponseSchema = answerOf({
  sessions: z.array(
    z.object({
      id: z.string(),
      started_at: z.iso.datetime(),
      used_at: z.iso.datetime(),
      /** Null if it is not known. */
      device: z.enum(DEVICES).nullable(),
      is_current: z.boolean(),
    }),
  ),
});
export type OwnSession = z.infer<typeof sessionsResponseSchema>["sessions"][number];

export const logoutEverywhereResponseSchema = doneSchema.extend({
  /** How many sessions ended; this one goes on. */
  ended: z.number(),
});
