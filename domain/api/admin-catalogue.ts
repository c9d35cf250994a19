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
