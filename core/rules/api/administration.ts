import { z } from "zod";
import { limit } from "../field-rules.ts";
import { pauseCauseSchema } from "../pause-cause.ts";
import { PERMISSIONS, ROLES } from "../roles.ts";
import { answerOf } from "./common.ts";
import { listQuerySchema } from "./lists.ts";

/** The areas that audit log entries belong to. */
export const AUDIT_AREAS = ["catalogue", "payments", "sales", "claims", "people"] as const;
export type AuditArea = (typeof AUDIT_AREAS)[number];

/** The signed-in admin's role and permissions, and how far one goes without a second person. */
export const adminRoleResponseSchema = answerOf({
  role: z.enum(ROLES),
  permissions: z.array(z.enum(PERMISSIONS)),
  /** The highest percent that needs nobody else. docs/product.md#percent-approvals */
  percent_alone: z.number(),
  /** Whether names and e-mails are shown whole: permission `people:read`; absent from 1.0.0. */
  reads_people: z.boolean().optional(),
  /** The wallets of the others who may agree: to a higher percent, and to a large payout. */
  approvers: z.object({ catalogue: z.array(z.string()), payments: z.array(z.string()) }),
});

/** The figures of the admin page. CHZ amounts are decimal text. */
export const overviewResponseSchema = answerOf({
  data: z.object({
    stores: z.number(),
    users: z.number(),
    /** Without the cancelled ones. */
    purchases: z.number(),
    /** CHZ that reached buyers. */
    cashback_paid: z.string(),
    /** CHZ owed for purchases that are not paid yet. */
    cashback_open: z.string(),
    purchases_by_status: z.object({
      processing: z.number(),
      pending: z.number(),
      confirmed: z.number(),
      cancelled: z.number(),
    }),
    /** The newest purchases, newest first. */
    activity: z.array(
      z.object({
        id: z.number(),
        store: z.string(),
        amount: z.string(),
        status: z.string(),
        created_at: z.iso.datetime(),
      }),
    ),
    payouts: z.object({ paused: z.boolean(), reason: z.string().nullable(), cause: pauseCauseSchema.nullable() }),
    sender: z.object({
      address: z.string(),
      /** CHZ for gas; null until it has been read. */
      balance: z.string().nullable(),
      /** CHZ available for payouts; null if the chain does not respond. */
      distributor_balance: z.string().nullable(),
      in_flight: z.number(),
      /** The signing wallets; the first is the one above. */
      keys: z.array(
        z.object({
          key: z.enum(["operator", "minter", "confirmer", "payer"]),
          /** The roles of this wallet. */
          signs_as: z.array(z.enum(["operator", "minter", "confirmer", "payer"])),
          address: z.string(),
          balance: z.string().nullable(),
          in_flight: z.number(),
        }),
      ),
      queued: z.number(),
      failed: z.number(),
    }),
  }),
});
export type Overview = z.infer<typeof overviewResponseSchema>["data"];

/** `state` is the area that entries are about. */
export const auditLogQuerySchema = listQuerySchema(AUDIT_AREAS, ["id"]);

export const auditLogEntrySchema = z.object({
  id: z.number(),
  at: z.iso.datetime(),
  /** A wallet, `service:` and its number, or a program. */
  actor: z.string(),
  /** The action, such as `store.create`; the panel has a sentence for each. */
  action: z.string(),
  subject: z.string(),
  /** Parameters of the sentence: `detail`, parsed. */
  params: z.record(z.string(), z.unknown()),
  /** JSON text, as the hash covers it. */
  detail: z.string(),
  hash: z.string(),
});
export type AuditLogEntry = z.infer<typeof auditLogEntrySchema>;

export const payoutsRequestSchema = z.strictObject({
  paused: z.boolean(),
  reason: z.string().trim().max(200, limit("max_length", 200)).optional(),
});
