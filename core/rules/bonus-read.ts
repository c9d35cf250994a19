import { z } from "zod";
import type { BonusProgram } from "./bonus.ts";
import { jsonOf } from "./records.ts";
import type { WalletAddress } from "./wallet-address.ts";

/** `known`: it was read at the click. `none`: it never could be; what was given without a balance stays. */
export const BONUS_STATES = ["known", "open", "none"] as const;
export type BonusState = (typeof BONUS_STATES)[number];

/** All that decides a bonus but the balance, which could not be read at the click. docs/product.md#bonus-read */
export type BonusRead = {
  state: BonusState;
  token: { slug: string; name: string };
  contract: WalletAddress;
  club: string | null;
  /** Of the club that a person had chosen for the store. */
  clubToken: string | null;
  program: BonusProgram;
  /** The click's block: at which the balance counts. */
  block: bigint;
  /** The highest bonus that fits on the click's percents, and on those of its boost. */
  mostBps: bigint;
  mostBoostedBps: bigint | null;
  /** Of a simulated purchase: what an invitation adds to it. */
  invitedBps?: bigint | undefined;
};

const integer = z.string().transform(BigInt);
const schema = z.object({
  state: z.enum(BONUS_STATES),
  token: z.object({ slug: z.string(), name: z.string() }),
  contract: z.string().transform((text) => text as WalletAddress),
  club: z.string().nullable(),
  clubToken: z.string().nullable().default(null),
  program: z.enum(["club", "tiers"]),
  block: integer,
  mostBps: integer,
  mostBoostedBps: integer.nullable(),
  invitedBps: integer.optional(),
});

export function encodeBonusRead(read: BonusRead): string {
  return jsonOf(read);
}

/** The columns of a new click or purchase. It is read for the first time when it is due. */
export function bonusColumns(read: BonusRead | null | undefined) {
  const dueAt = read?.state === "open" ? BigInt(Date.now()) + FIRST_READ_MS : null;
  return { bonus_read: read ? encodeBonusRead(read) : null, bonus_due_at: dueAt };
}

export function parseBonusRead(text: string): BonusRead {
  return schema.parse(JSON.parse(text));
}

/** Of a row of a click or purchase. */
export function bonusStateOf({ bonus_read }: { bonus_read: string | null }): BonusState {
  return bonus_read === null ? "known" : parseBonusRead(bonus_read).state;
}

/** From then on two nodes of different hosts are enough. */
export const TWO_HOSTS_AFTER_MS = 600_000n;
/** It is read no more. */
export const READ_UNTIL_MS = 3_600_000n;
const FIRST_READ_MS = 2_000n;
