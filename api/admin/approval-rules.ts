import type { Role } from "../../domain/roles.ts";
import type { ApprovalRules } from "../../purchases/approvals.ts";
import type { ApiEnvironment } from "../environment.ts";

const GWEI_PER_CHZ = 1_000_000_000n;

/** Which payouts take a second person, and who may be one. docs/product.md#panel-approvals */
export function approvalRules(
  environment: Pick<ApiEnvironment, "APPROVAL_ABOVE_CHZ">,
  adminWallets: ReadonlyMap<string, Role>,
): ApprovalRules {
  return {
    get aboveGwei() {
      const { APPROVAL_ABOVE_CHZ: limit } = environment;
      return limit === undefined ? undefined : BigInt(limit) * GWEI_PER_CHZ;
    },
    roleOf: (wallet) => adminWallets.get(wallet),
  };
}
