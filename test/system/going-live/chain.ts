import { setTimeout as delay } from "node:timers/promises";
import { CHAIN_IDS } from "../../../core/rules/networks.ts";
import { type Anvil, startAnvil } from "../../testing/anvil.ts";
import { openRpcGate } from "../support/rpc-gate.ts";

/** The floor of Spicy's base fee. */
export const BASE_FEE_WEI = 2_500n * 10n ** 9n;
const BLOCK_EVERY_MS = 500;
const NEVER_FINAL = new Set<unknown>(["finalized", "safe"]);

export type SpicyChain = { url: string; request: Anvil["request"]; stop(): Promise<void> };

/** A local chain with Spicy's rules: a base fee at the floor, no `finalized`, and no Multicall3. */
export async function startSpicyChain(): Promise<SpicyChain> {
  const extraArguments = ["--no-mining", "--block-base-fee-per-gas", String(BASE_FEE_WEI), "--balance", "1000000"];
  const anvil = await startAnvil({ chainId: CHAIN_IDS.spicy, manualBlocks: true, extraArguments });
  const stopped = new AbortController();
  const mining = mineAtTheFloor(anvil, stopped.signal);
  const gate = await openRpcGate(anvil.rpcUrl);
  // Requests for the final block get block 0, as on Chiliz.
  gate.before = async ({ method, params }) => {
    if (!params.some((one) => NEVER_FINAL.has(one))) return "pass";
    return { result: await anvil.request(method, ...params.map((one) => (NEVER_FINAL.has(one) ? "0x0" : one))) };
  };
  return {
    url: gate.url,
    request: anvil.request,
    async stop() {
      stopped.abort();
      await mining;
      await gate.stop();
      await anvil.stop("SIGKILL");
    },
  };
}

/** A node that mines by itself lowers the base fee by an eighth a block: after a burst, far below the floor. */
async function mineAtTheFloor(anvil: Anvil, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    await anvil.request("anvil_setNextBlockBaseFeePerGas", `0x${BASE_FEE_WEI.toString(16)}`);
    await anvil.request("evm_mine");
    await delay(BLOCK_EVERY_MS);
  }
}
