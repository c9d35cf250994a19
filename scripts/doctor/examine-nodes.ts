import type { ApiEnvironment } from "../../api/environment.ts";
import { unnamedContracts, unnamedText } from "../../api/people/staff-contracts.ts";
import { EveryNode } from "../../core/process/rpc/every-node.ts";
import { oneNodeProblem, plaintextProblem } from "../../core/process/trusted-nodes.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import { type Finding, failure, healthy, warning } from "./finding.ts";

const NOBODY_ALONE = "nobody else answers for the chain";

/** Whether anybody that nobody chose can answer for the chain, and whether the team can sign in. docs/product.md#node-trust */
export async function examineNodes({ nodeSettings, RPC_URLS, ADMIN_WALLETS }: ApiEnvironment): Promise<Finding[]> {
  const plaintext = await plaintextProblem(nodeSettings);
  const one = oneNodeProblem(nodeSettings);
  const refuse = nodeSettings.network === "chiliz" ? failure : warning;
  return [
    ...(plaintext === undefined
      ? []
      : [failure("nodes", plaintext, "Correct RPC_URLS first: 1.1.0 does not start with it")]),
    one === undefined
      ? healthy("nodes", nodeSettings.isOneNodeAccepted ? "one host is believed alone, as accepted" : NOBODY_ALONE)
      : refuse("nodes", one, "docs/runbook/rpc-away.md"),
    ...(await examineStaff(RPC_URLS, ADMIN_WALLETS)),
  ];
}

async function examineStaff(urls: readonly string[], admins: ApiEnvironment["ADMIN_WALLETS"]): Promise<Finding[]> {
  const everyNode = await EveryNode.open({ urls, pool: { states: [] } });
  try {
    const problem = unnamedText(await unnamedContracts(everyNode, admins));
    if (problem === undefined) return [];
    return [failure("admins", problem, "Add it before the api is restarted: the wallet cannot sign in until then")];
  } catch (error) {
    return [
      warning("admins", `whether contracts are among them is unknown: ${messageOf(error)}`, "docs/runbook/rpc-away.md"),
    ];
  } finally {
    everyNode.close();
  }
}
