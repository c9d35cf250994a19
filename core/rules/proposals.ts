import { DAY_MS, HOUR_MS } from "./iso-time.ts";
import { type Permission, permissionsOf, type Role } from "./roles.ts";

/** Changes that move buyers or money without naming an amount, or that cannot be undone. docs/product.md#proposals */
export const PROPOSAL_KINDS = [
  "store_link",
  "store_account",
  "store_merchant",
  "token_contract",
  "sessions",
  "erase",
  "booking",
  "invite",
] as const;
export type ProposalKind = (typeof PROPOSAL_KINDS)[number];

/**
 * `agreed`: by a second person; it is in force, unless its day is still to come. `done`: its day came. `lapsed`: what it
 * was about changed, or who asked may no longer ask.
 */
export const PROPOSAL_STATES = ["open", "agreed", "refused", "undone", "lapsed", "done"] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

type ProposalRule = {
  /** Who may ask for it, agree to it, refuse it and undo it; `owner` is the role. */
  by: Permission | "owner";
  /** When it takes effect without a second person, after it was asked for; undefined: never. */
  afterMs?: number;
  /** Whether a second person's agreement shortens nothing. */
  isDayFixed?: true;
};

/** Who asks for what a network's word leads to: nobody of the team, so that a person takes it up first. */
export const NETWORK_ACTOR = "network";

export const ERASED_AFTER_MS = 72 * HOUR_MS;
/** Where nobody else may agree. */
export const ALONE_AFTER_MS = DAY_MS;
/** So many people a member of the staff erases within an hour by the delay alone. */
export const ERASED_ALONE_AN_HOUR = 10;

const RULES: Readonly<Record<ProposalKind, ProposalRule>> = {
  store_link: { by: "catalogue" },
  store_account: { by: "catalogue" },
  store_merchant: { by: "catalogue" },
  token_contract: { by: "catalogue" },
  sessions: { by: "owner", afterMs: HOUR_MS },
  erase: { by: "people", afterMs: ERASED_AFTER_MS, isDayFixed: true },
  booking: { by: "payments" },
  invite: { by: "owner" },
};

export const proposalRule = (kind: ProposalKind): ProposalRule => RULES[kind];

/** Whether an admin of this role may ask for such a change, and decide about another's. docs/product.md#proposals */
export function mayPropose(role: Role | undefined, kind: ProposalKind): boolean {
  const { by } = RULES[kind];
  return role !== undefined && (by === "owner" ? role === "owner" : permissionsOf(role).includes(by));
}
