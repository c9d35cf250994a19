import type { PercentRule } from "../../catalogue/percent-approvals.ts";
import { actorOf, type Identity } from "../http/route.ts";
import type { Services } from "../services.ts";

/** What this admin may promise alone. docs/product.md#percent-approvals */
export function percentRule({ environment }: Pick<Services, "environment">, identity: Identity): PercentRule {
  return { aboveBps: BigInt(environment.BOOST_APPROVAL_ABOVE_PERCENT) * 100n, actor: actorOf(identity) };
}
