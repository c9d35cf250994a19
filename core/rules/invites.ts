import { DAY_MS } from "./iso-time.ts";

/* Bring a friend. docs/product.md#invite */

/** Who registers by a link is a friend of whose it is; so many in a month of UTC. */
export const INVITES_A_MONTH = 10;

/** So much each of the two gets of an invitation, at most: R$ 10, and R$ 20 together. */
export const INVITE_MOST_CENTS = 1_000n;

/** How long it is known from where somebody registered by a link, or looked at it. */
export const INVITE_MARKS_MS = DAY_MS;

/** Looks from one place within it are noted once. */
export const INVITE_LOOK_MS = DAY_MS / 24;

const BPS = 10_000n;

/**
 * Frozen with the click that carries it: the friend's own, or the inviter's for it. It ends at `until` (milliseconds UTC),
 * as a boost does.
 */
export type InviteTerms = { id: bigint; role: "friend" | "inviter"; bps: bigint; until: bigint };

/**
 * An invitation as far as a sale depends on it. `isInForce`: it is the first sale of its click, no person has to decide
 * about it, and the friend's purchase was not returned.
 */
export type SaleInvite = InviteTerms & { isInForce: boolean };

/**
 * What an invitation adds to a sale's cashback, in cents × basis points: never more than its share, and never a cashback
 * above the amount. docs/product.md#invite
 * @example
 * // 2 % of R$ 1.000,00 are R$ 20,00: R$ 10,00.
 * inviteCentBps(
 *   { id: 1n, role: "friend", bps: 200n, until: 9n, isInForce: true },
 *   { amountCents: 100_000n, centBps: 50_000_000n, boughtAt: 1n },
 * ) // 10_000_000n
 */
export function inviteCentBps(
  invite: SaleInvite | null | undefined,
  { amountCents, centBps, boughtAt }: { amountCents: bigint; centBps: bigint; boughtAt: bigint },
): bigint {
  if (!invite?.isInForce || boughtAt > invite.until) return 0n;
  const bounds = [amountCents * invite.bps, INVITE_MOST_CENTS * BPS, amountCents * BPS - centBps];
  const least = bounds.reduce((one, other) => (other < one ? other : one));
  return least > 0n ? least : 0n;
}

/** The marks of a registration by a link: what makes it look like the inviter's own. */
export type InviteMark = "address" | "device" | "pace" | "team";

type Traces = { address_hash: string; device_hash: string };

/** So many friends of one inviter within a day are usual. */
const USUAL_A_DAY = 3;

/**
 * What a registration has in common with its inviter and with this one's other friends of the last day. `isTeam`: one of
 * them is of the team. docs/product.md#invite
 */
export function inviteMarks(own: Traces, others: readonly Traces[], friends: number, isTeam: boolean): InviteMark[] {
  const found: Record<InviteMark, boolean> = {
    address: others.some((one) => one.address_hash === own.address_hash),
    device: others.some((one) => one.device_hash === own.device_hash),
    pace: friends >= USUAL_A_DAY,
    team: isTeam,
  };
  return (["address", "device", "pace", "team"] as const).filter((mark) => found[mark]);
}

/**
 * Whether a person decides about an invitation. Families and the phones of one carrier share an address, which alone says
 * nothing; who decides for the shop brings nobody without another one's word. docs/product.md#invite
 */
export function needsPerson(marks: readonly InviteMark[]): boolean {
  return marks.includes("team") || (marks.includes("address") && marks.length > 1);
}
