import { z } from "zod";
import { custom, limit, must } from "../field-rules.ts";
import { LIST_LIMIT } from "../product.ts";
import { DECISION_REFUSALS } from "../sale/decision-refusals.ts";
import { isAddressShaped, toWalletAddress } from "../wallet-address.ts";
import { ERROR_CODES } from "./error-codes.ts";
import { shortText } from "./short-text.ts";

/** Twenty bytes of hex, in any case; stored and returned in lower case. The server also checks a mixed-case checksum. */
export const addressSchema = z.string().refine(isAddressShaped, must("wallet")).transform(toWalletAddress);

/** A database id: a JSON integer or decimal text in requests, a JSON number in responses. */
export const idSchema = z
  .union([z.number(), z.string()], { error: must("id") })
  .transform((value) => String(value))
  .pipe(shortText(15, must("id")).regex(/^[1-9]\d{0,14}$/, must("id")))
  .transform((text) => BigInt(text));

/** The rows of a page unless the caller asks for another number. */
export const PAGE_ROWS = 50;

/** How many rows a page has: plain digits, because `Number` would also read "0x10", "1e1" or an empty text. */
export const pageLimitSchema = shortText(3, limit("rows", LIST_LIMIT))
  .regex(/^[1-9]\d{0,2}$/, limit("rows", LIST_LIMIT))
  .transform(Number)
  .refine((rows) => rows <= LIST_LIMIT, custom("rows", LIST_LIMIT));

/** One page of a list, newest first: the number of rows, and the id below which they start. */
export const pageQuerySchema = z.object({
  limit: pageLimitSchema.default(PAGE_ROWS),
  before: idSchema.optional(),
});

/** An image, logo or link: a public https:// address, without credentials, of at most 2,048 characters. */
export const httpsUrlSchema = z
  .string()
  .trim()
  .max(2_048, limit("max_length", 2_048))
  .refine(isPublicHttpsUrl, must("public_link"));

/** Host names with a different meaning on every network. RFC 6761, RFC 6762; `.internal` is reserved by ICANN. */
const INTERNAL_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;

/** Only hosts with a public name: IP addresses, in any notation, may point inside a network. */
export function isPublicHttpsUrl(text: string): boolean {
  // Browsers read a backslash as a slash, and what compares texts does not.
  if (!URL.canParse(text) || /[\s\\]/.test(text)) return false;
  const url = new URL(text);
  // The URL parser normalizes every notation of IPv4 (decimal, octal, shortened) to four numbers.
  const host = url.hostname.replace(/\.$/, "");
  const isNumber = host.startsWith("[") || /^[\d.]+$/.test(host);
  const isPublic = host.includes(".") && !isNumber && !INTERNAL_NAME.test(host);
  return (
    url.protocol === "https:" && url.username === "" && url.password === "" && isPublic && /^https:\/\/[^/]/i.test(text)
  );
}

/** An EIP-4361 message to sign: valid once, until it expires. */
export const challengeSchema = z.object({ nonce: z.string(), message: z.string(), expires_at: z.iso.datetime() });

/** Whose purse refused a call. docs/product.md#purses */
export const PURSES = ["wallet", "address", "shop", "account"] as const;
export type PurseName = (typeof PURSES)[number];

const namedStoreSchema = z.object({ id: z.number(), name: z.string() });

/** The body of every error. docs/product.md#error-shape. `error` and `message` are the same sentence. */
export const errorSchema = z.object({
  success: z.literal(false),
  error: z.string(),
  message: z.string(),
  code: z.enum(ERROR_CODES),
  request_id: z.string(),
  /** The invalid field or header, if it is a single one. */
  field: z.string().optional(),
  /** With `field`: the rule that it breaks, and its figures. */
  rule: z.string().optional(),
  params: z
    .object({ max: z.union([z.number(), z.string()]).optional(), values: z.array(z.string()).optional() })
    .optional(),
  /** With CATALOGUE_FILE: what is wrong, row by row. `FileProblem`. */
  problems: z.array(z.looseObject({ problem: z.string() })).optional(),
  /** CHZ, decimal text: the amount that is payable now. */
  payable: z.string().optional(),
  /** With SIMULATED_LIMIT: which one, with its reais in `params.max`. */
  limit: z.enum(["purchase", "wallet", "all"]).optional(),
  /** With NOT_DUE, CLAIM_TOO_EARLY and SIMULATED_LIMIT: when it becomes possible; null if unknown or never. */
  due_at: z.iso.datetime().nullable().optional(),
  /** With TOO_MANY_REQUESTS: whose is empty. */
  purse: z.enum(PURSES).optional(),
  /** With DECISION_REFUSED: what does not fit. */
  why: z.enum(DECISION_REFUSALS).optional(),
  /** With LINK_UNKNOWN: stores of a similar name; with LINK_AMBIGUOUS: those at this shop. */
  like: z.array(namedStoreSchema).optional(),
  stores: z.array(namedStoreSchema).optional(),
  /** With NONCE_REQUIRED and SIGNATURE_NEEDED: the challenge to sign. */
  challenge: challengeSchema.optional(),
});

/** A reason for the log; the panel always asks for one. */
export const givenReasonSchema = z.strictObject({
  reason: z.string().trim().max(300, limit("max_length", 300)).optional(),
});
/** The same, for calls where the body is optional. */
export const noBodyOrReasonSchema = givenReasonSchema.default({});

/** The body of every answer that is no error. */
export const answerOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ success: z.literal(true), ...shape });

export const doneSchema = answerOf({ message: z.string() });
/** It is decided, and its payout waits for a second person. docs/product.md#panel-approvals */
export const approvalNeededSchema = doneSchema.extend({ approval_id: z.number() });
/** What the answer to every decision has. */
export const decidedSchema = answerOf({ approval_id: z.number().optional() });
export type Decided = z.infer<typeof decidedSchema>;
export const createdSchema = doneSchema.extend({ id: z.number() });

export const healthSchema = answerOf({ status: z.literal("ok") });
