import { z } from "zod";
import { NETWORKS } from "../networks.ts";
import { answerOf } from "./common.ts";

/** `GET /api/config`: the deployment behind the web app. Contains no secrets. */
export const configResponseSchema = answerOf({
  data: z.object({
    /** Of the web app that it serves, as in the header `x-torcida-build` of every answer. */
    build: z.string().optional(),
    chain_id: z.number(),
    network: z.enum(NETWORKS),
    rpc_url: z.string(),
    /** Without a trailing slash; null if the chain has no explorer. */
    explorer_url: z.string().nullable(),
    /** Contract addresses in lower case. */
    purchase_nft: z.string(),
    /** Those that it continues, the latest first: a ticket that one of them minted stays its own. */
    former_purchase_nfts: z.array(z.string()),
    cashback_distributor: z.string(),
    /** Its retired predecessors. */
    former_distributors: z.array(z.string()),
    /** The first block that can hold an event of the contracts. */
    start_block: z.number(),
    /** Whether a registered purchase is minted, confirmed and paid automatically. */
    simulated: z.boolean(),
    auth_mode: z.enum(["compat", "strict"]),
    /** Which bonus rule is computed. docs/product.md#bonus. */
    bonus_program: z.enum(["club", "tiers"]),
    /** An e-mail address or an `https://` address for the contact page; null if the operator gave none. */
    support_contact: z.string().nullable(),
    /** Whether it sends e-mails to buyers who ask for them. docs/product.md#mail */
    mail: z.boolean(),
    /** What bringing a friend adds, to each of the two; absent: nobody is asked to. docs/product.md#invite */
    invite_bonus_percent: z.string().optional(),
    /** By which a browser asks its push service for messages of this site; null if it sends none. docs/product.md#push */
    vapid_public_key: z.string().nullable(),
    /** Whether `wei_per_cent` is today's: otherwise it is the last known one, or the configured one. */
    is_rate_known: z.boolean(),
    /** The current rate, decimal text: wei of CHZ per BRL cent. */
    wei_per_cent: z.string(),
  }),
});
export type AppConfig = z.infer<typeof configResponseSchema>["data"];
