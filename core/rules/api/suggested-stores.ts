import { z } from "zod";
import { must } from "../field-rules.ts";
import { answerOf, idSchema } from "./common.ts";
import { listQuerySchema } from "./lists.ts";
import { shortText } from "./short-text.ts";

/** What became of a suggestion; `gone`: its network does not offer it for now. docs/product.md#suggested-stores */
export const SUGGESTION_STATES = ["open", "accepted", "dismissed", "gone"] as const;

export const suggestedStoresQuerySchema = listQuerySchema(SUGGESTION_STATES, ["id", "name"]);

export const suggestedStoreSchema = z.object({
  id: z.number(),
  network: z.string(),
  account: z.string(),
  advertiser_id: z.string(),
  name: z.string(),
  domains: z.array(z.string()),
  country: z.string().nullable(),
  /** Null percents: a fixed sum a sale, of which a percent can only be set by hand. */
  categories: z.array(
    z.object({
      group_code: z.string(),
      name: z.string(),
      commission_percent: z.string().nullable(),
      percent: z.string().nullable(),
    }),
  ),
  /** Whether its commission groups were not read yet: it can be accepted once they are. */
  is_unread: z.boolean(),
  /** From a sale to the network's payment, in its own words. */
  expected_days: z.number().nullable(),
  state: z.string(),
  store_id: z.number().nullable(),
});
export type SuggestedStore = z.infer<typeof suggestedStoreSchema>;

const AT_ONCE = 500;

export const suggestionsRequestSchema = z.strictObject({
  ids: z.array(idSchema).min(1, must("empty")).max(AT_ONCE, `must be at most ${AT_ONCE} ids`),
});

/** Why a suggestion did not become a store. */
export const SUGGESTION_REFUSALS = ["NOT_FOUND", "DECIDED", "RATES_UNREAD", "STORE_NAME_TAKEN"] as const;

export const acceptedSuggestionsSchema = answerOf({
  stores: z.array(z.object({ id: z.number(), store_id: z.number() })),
  refused: z.array(z.object({ id: z.number(), code: z.string() })),
});

export const withheldRequestSchema = z.strictObject({
  network: shortText(32, must("key")),
  account: shortText(32, must("key")),
});
