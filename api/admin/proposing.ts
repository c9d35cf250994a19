import type { Asker } from "../../core/database/proposals.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { mayPropose, type ProposalKind } from "../../core/rules/proposals.ts";
import { requireFreshSignIn } from "../http/identity.ts";
import { actorOf, type Identity } from "../http/route.ts";
import type { Services } from "../services.ts";

/** Who asks for a change of this kind, and whether anybody else may agree to it. docs/product.md#proposals */
export function askerOf(
  { adminWallets }: Pick<Services, "adminWallets">,
  identity: Identity,
  kind: ProposalKind,
): Asker {
  const actor = actorOf(identity);
  return { actor, hasOthers: [...adminWallets].some(([wallet, role]) => wallet !== actor && mayPropose(role, kind)) };
}

/** In the transaction that asks: whoever asks has just signed in. @throws ApiError 403 if it is too long ago */
export function requireFreshAsker(identity: Identity, proposals: readonly bigint[]): void {
  if (proposals.length > 0) requireFreshSignIn(identity);
}

/** The body of the 202 of a call whose effect waits. */
export function proposed(id: bigint, takesEffectAt: bigint | null, what = "What else was said is saved") {
  const until = takesEffectAt === null ? "a second person agrees" : isoTime(takesEffectAt);
  return {
    success: true,
    message: `${what}; this waits until ${until}`,
    proposal_id: Number(id),
    takes_effect_at: isoTime(takesEffectAt),
  } as const;
}
