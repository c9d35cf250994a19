import type { Hex } from "viem";
import type { FaultSystem } from "../../test/faults/support/fault-system.ts";
import { between, pick, type Random } from "../../test/faults/support/random.ts";

/** Accounts of the node that belong to nobody in Torcida. */
const FIRST_STRANGER = 5;
const MOST_WEI = 10 ** 15;

/** A stranger sends wei that nobody expects: to the operator, to the distributor, or into it past its code. */
export async function sendStrayWei({ anvil, deployment }: FaultSystem, random: Random): Promise<void> {
  const accounts = await anvil.request<Hex[]>("eth_accounts");
  const from = pick(random, accounts.slice(FIRST_STRANGER));
  const distributor = deployment.cashbackDistributor.address;
  const value: Hex = `0x${between(random, 1, pick(random, [1, 1_000, MOST_WEI])).toString(16)}`;
  const call = pick(random, [
    { from, value, to: accounts[0] },
    { from, value, to: distributor },
    { from, value, data: selfDestructInto(distributor) },
  ]);
  await anvil.request("eth_sendTransaction", call);
}

/** A contract that self-destructs during creation: its wei go to `heir`, whose code does not run. */
function selfDestructInto(heir: string): Hex {
  return `0x73${heir.slice(2)}ff`;
}
