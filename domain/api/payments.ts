import { z } from "zod";

/** A year of São Paulo. */
export const paymentsQuerySchema = z.object({
  year: z
    .string()
    .regex(/^20\d\d$/)
    .transform(Number)
    .optional(),
});

/** What a wallet was paid in a year. docs/product.md#worth */
export const paymentsResponseSchema = z.object({
  success: z.literal(true),
  data: z.object({
    year: z.number(),
    /** From the year of the first payment to this one, newest first. */
    years: z.array(z.number()),
    count: z.number(),
    /** CHZ, decimal text. */
    amount: z.string(),
    /** What it was worth in reais on the days of the payments, decimal text, without those of days without a rate. */
    value: z.string(),
    /** How many payments are of days without a rate. */
    without_rate: z.number(),
    /** What all of it is worth now, in reais, decimal text; null while no rate is known. */
    value_today: z.string().nullable(),
  }),
});
export type PaymentsOfYear = z.infer<typeof paymentsResponseSchema>["data"];
