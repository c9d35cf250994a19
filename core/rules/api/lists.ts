import { z } from "zod";
import { limit, must } from "../field-rules.ts";
import { answerOf, pageLimitSchema } from "./common.ts";

/** Where a page starts: the `next_before` of the previous page. Text if rows are not sorted by id. */
const cursorSchema = z
  .union([z.number(), z.string()])
  .transform((value) => String(value))
  .pipe(z.string().min(1, must("empty")).max(400, limit("max_length", 400)));

/** An empty choice is none. */
const NONE = z.literal("").transform(() => undefined);

/**
 * The query of a panel list. `name` sorts ascending, `-name` descending. `query` matches whole numbers and hashes, and prefixes of a wallet, an order, an e-mail
 * address or a name.
 */
export function listQuerySchema<const States extends readonly string[], const Sorts extends readonly string[]>(
  states: States,
  sorts: Sorts,
) {
  const orders = sorts.flatMap((name) => [name, `-${name}`]);
  return z.object({
    query: z.string().trim().max(128, limit("max_length", 128)).optional(),
    state: z.union([NONE, z.enum(states)], { error: `must be one of ${states.join(", ")}` }).optional(),
    sort: z
      .union([NONE, z.enum(sorts), z.templateLiteral(["-", z.enum(sorts)])], {
        error: `must be one of ${orders.join(", ")}`,
      })
      .optional(),
    before: cursorSchema.optional(),
    limit: pageLimitSchema.optional(),
  });
}

/** The parsed query of any panel list. */
export type ListQuery = {
  query?: string | undefined;
  state?: string | undefined;
  sort?: string | undefined;
  before?: string | undefined;
  limit?: number | undefined;
};

/** One page of a panel list. */
export function listOf<Row>(row: z.ZodType<Row>) {
  return answerOf({
    rows: z.array(row),
    /** Pass as `before` to get the next page; null on the last. */
    next_before: z.union([z.number(), z.string()]).nullable(),
    /** The number of matches, capped at 10,001, which means "more". */
    total: z.number(),
  });
}
