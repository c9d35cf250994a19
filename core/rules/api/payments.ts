import { z } from "zod";
import { must } from "../field-rules.ts";
import { DEFAULT_LANGUAGE } from "../languages.ts";
import { answerOf } from "./common.ts";
import { languageSchema } from "./mail.ts";
import { shortText } from "./short-text.ts";

/** A year of São Paulo, and the language of the CSV. */
export const paymentsQuerySchema = z.object({
  year: shortText(4, must("year"))
    .regex(/^20\d\d$/, must("year"))
    .transform(Number)
    .optional(),
  language: languageSchema.default(DEFAULT_LANGUAGE),
});

/** What a wallet was paid in a year. docs/product.md#worth */
export const paymentsResponseSchema = answerOf({
  data: z.object({
    year: z.number(),
    /** From the year of the first payment to this one, newest first. */
    years: z.array(z.number()),
    count: z.number(),
    /** CHZ, decimal text. */
    amount: z.string(),
    /** What it was worth in reais on the days of the payments, decimal text, without those that have no rate. */
    value: z.string(),
    /** How many payments have no rate: neither their day nor the seven before. */
    without_rate: z.number(),
    /** How many count by the rate of an earlier day. */
    earlier_rate: z.number(),
    /** What all of it is worth now, in reais, decimal text; null while no rate is known. */
    value_today: z.string().nullable(),
  }),
});
export type PaymentsOfYear = z.infer<typeof paymentsResponseSchema>["data"];
