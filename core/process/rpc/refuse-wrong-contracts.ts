import { setTimeout as delay } from "node:timers/promises";
import { type Contracts, ticketContractsOf } from "../../chain/deployment.ts";
import { EnvironmentError } from "../environment.ts";
import { type RpcCall, RpcError, type RpcOutcome } from "./json-rpc.ts";
import type { NodePool } from "./node-pool.ts";

const TIMEOUT_MS = 4_000;
const AGAIN_MS = 500;
/** `purchaseNFT()`, which only a distributor has. */
const PURCHASE_NFT = "0x613b4d32";
/** `predecessor()`; 1.0.0's tickets revert, and continue none. */
const PREDECESSOR = "0xb719d032";
const NOBODY = `0x${"0".repeat(40)}`;

/**
 * Asks the chain whether the addresses are what they are configured as, and all tickets that these continue are named.
 * Refuses only what a node says for certain: no code, a revert, or another address.
 * @throws EnvironmentError that names the variable; RpcError if no node answers
 */
export async function refuseWrongContracts(nodes: NodePool<unknown>, contracts: Contracts): Promise<void> {
  const { purchaseNft, cashbackDistributor } = contracts;
  const generations = ticketContractsOf(contracts);
  const [nftCode, code, tickets, ...continued] = await nodes.askEach(
    [
      codeCall(purchaseNft),
      codeCall(cashbackDistributor),
      { method: "eth_call", params: [{ to: cashbackDistributor, data: PURCHASE_NFT }, "latest"] },
      ...generations.map((to) => ({ method: "eth_call", params: [{ to, data: PREDECESSOR }, "latest"] })),
    ],
    TIMEOUT_MS,
  );
  const nft = named("PURCHASE_NFT_ADDRESS", purchaseNft);
  const distributor = named("CASHBACK_DISTRIBUTOR_ADDRESS", cashbackDistributor);
  if (isEmpty(nftCode)) throw new EnvironmentError(`${nft}, where this chain has no contract`);
  if (isEmpty(code)) throw new EnvironmentError(`${distributor}, where this chain has no contract`);
  // A contract that takes any call answers with nothing.
  if (isEmpty(tickets) || (tickets && "error" in tickets && tickets.error.isRevert)) {
    throw new EnvironmentError(`${distributor}, which is another contract than a CashbackDistributor`);
  }
  const paysFor = addressIn(tickets);
  if (paysFor !== undefined && paysFor !== purchaseNft) {
    throw new EnvironmentError(`${distributor}, which pays for the tickets of ${paysFor}, not of ${purchaseNft}`);
  }
  for (const [index, outcome] of continued.entries()) {
    const isRevert = outcome !== undefined && "error" in outcome && outcome.error.isRevert;
    const former = isRevert ? NOBODY : addressIn(outcome);
    const named = generations[index + 1] ?? NOBODY;
    if (former === undefined || former === named) continue;
    const known = "FORMER_PURCHASE_NFT_ADDRESSES, or the deployment record,";
    throw new EnvironmentError(
      former === NOBODY
        ? `${known} names ${named}, which ${generations[index]} does not continue`
        : `${known} must name ${former} after ${generations[index]}, which continues its tickets`,
    );
  }
}

/**
 * The same at the start of a process that serves without a node too: if none answers yet, `onWrong` is called once one
 * has.
 */
export async function refuseWrongContractsLater(
  nodes: NodePool<unknown>,
  contracts: Contracts,
  onWrong: (error: unknown) => void,
): Promise<void> {
  if (await isAsked(nodes, contracts)) return;
  void (async () => {
    do await delay(AGAIN_MS, undefined, { ref: false });
    while (!(await isAsked(nodes, contracts)));
  })().catch(onWrong);
}

async function isAsked(...[nodes, contracts]: Parameters<typeof refuseWrongContracts>): Promise<boolean> {
  if (!nodes.isReady) return false;
  return refuseWrongContracts(nodes, contracts).then(
    () => true,
    (error: unknown) => {
      if (error instanceof RpcError) return false;
      throw error;
    },
  );
}

function named(variable: string, address: string): string {
  return `${variable}, or the deployment record, names ${address}`;
}

function codeCall(address: string): RpcCall {
  return { method: "eth_getCode", params: [address, "latest"] };
}

function isEmpty(outcome: RpcOutcome | undefined): boolean {
  return outcome !== undefined && "result" in outcome && outcome.result === "0x";
}

function addressIn(outcome: RpcOutcome | undefined): string | undefined {
  const result = outcome && "result" in outcome ? outcome.result : undefined;
  return typeof result === "string" && /^0x0{24}[0-9a-fA-F]{40}$/.test(result)
    ? `0x${result.slice(26).toLowerCase()}`
    : undefined;
}
