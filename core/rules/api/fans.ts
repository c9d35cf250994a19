import { z } from "zod";
import { must } from "../field-rules.ts";
import { slugSchema } from "./catalogue.ts";
import { answerOf } from "./common.ts";
import { shortText } from "./short-text.ts";

/** Of a closed month; `cashback` is whole CHZ, rounded to ten. docs/product.md#fans */
export const figuresSchema = z.object({
  fans: z.number(),
  purchases: z.number(),
  cashback: z.string(),
  month: z.string(),
});

/** Without a month, the newest that is closed. */
export const clubTableQuerySchema = z.strictObject({
  month: shortText(7, must("month"))
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/, must("month"))
    .optional(),
});
/** The clubs whose figures are told, by cashback a fan. */
export const clubTableResponseSchema = answerOf({
  month: z.string(),
  clubs: z.array(figuresSchema.extend({ slug: z.string(), name: z.string(), cashback_per_fan: z.string() })),
});
export type ClubTable = z.infer<typeof clubTableResponseSchema>;

export const fanClubRequestSchema = z.strictObject({ slug: slugSchema.nullable() });
export const fanClubResponseSchema = answerOf({ slug: z.string().nullable() });
