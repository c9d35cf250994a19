import { z } from "zod";
import { limit, must } from "../field-rules.ts";
import { isNobodysRole, isVisibleName } from "../person-name.ts";
import { ROLES } from "../roles.ts";
import { addressSchema, answerOf } from "./common.ts";
import { listQuerySchema } from "./lists.ts";

export const USER_STATES = ["active", "erased"] as const;

export const usersQuerySchema = listQuerySchema(USER_STATES, ["created_at", "name", "email"]);

/** A user as the panel sees it. CHZ amounts are decimal text. */
export const adminUserSchema = z.object({
  wallet: z.string(),
  /** Empty once erased, like the names. */
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  /** What the team calls this wallet; empty if it has no nickname. */
  nickname: z.string(),
  state: z.enum(USER_STATES),
  /** The admin role; null for non-admins. */
  role: z.enum(ROLES).nullable(),
  /** Whether the wallet has ever signed a challenge. */
  has_proven: z.boolean(),
  purchases: z.number(),
  /** Cashback confirmed, pending and paid. */
  confirmed: z.string(),
  pending: z.string(),
  paid: z.string(),
  created_at: z.iso.datetime(),
  erased_at: z.iso.datetime().nullable(),
});
export type AdminUser = z.infer<typeof adminUserSchema>;

export const adminUserResponseSchema = answerOf({
  user: adminUserSchema.extend({
    /** That is asked for, by its owner or by staff; null if there is none. */
    erasure: z.object({ proposal_id: z.number(), takes_effect_at: z.iso.datetime().nullable() }).nullable().optional(),
    /** The live sessions, most recently used first. */
    sessions: z.array(
      z.object({
        kind: z.enum(["nonce", "compat"]),
        created_at: z.iso.datetime(),
        last_seen_at: z.iso.datetime(),
      }),
    ),
  }),
});

const NICKNAME_LENGTH = 40;

/** An empty nickname takes it away. */
export const nicknameRequestSchema = z.strictObject({
  nickname: z
    .string()
    .trim()
    .max(NICKNAME_LENGTH, limit("max_length", NICKNAME_LENGTH))
    .refine(isVisibleName, must("hidden_characters"))
    .refine(isNobodysRole, must("team_words")),
});

export const sessionsRevokedSchema = answerOf({
  message: z.string(),
  /** How many sessions ended. */
  revoked: z.number(),
});

const NAMES_ASKED = 100;

/** Wallets, separated by commas. */
export const namesQuerySchema = z.object({
  wallets: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(addressSchema).max(NAMES_ASKED, limit("max", NAMES_ASKED))),
});

/**
 * Whose wallets these are: of those who are registered or on the team. The name is the nickname if there is one, and
 * empty for who is not registered, or registered one that hides something or claims a role.
 */
export const namesResponseSchema = answerOf({
  names: z.array(z.object({ wallet: z.string(), name: z.string(), role: z.enum(ROLES).nullable() })),
});
