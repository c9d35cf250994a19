import { createClient, decodeFunctionResult, encodeFunctionData, type Hex, http, type PublicClient } from "viem";
import { targetChain } from "./target-chain.ts";

/** Of the deployment's chain. Pages name the reads that they use: viem's public client has all there are. */
export const client = createClient({ chain: targetChain, transport: http() });

/**
 * One call of a view. viem's `readContract` also batches calls, overrides state and follows look-ups outside the chain:
 * that is 17 kB of code that no page here needs.
 * @throws the client's error, and viem's if the answer is not as the ABI says
 */
export const readContract: PublicClient["readContract"] = async ({ address, abi, functionName, args }) => {
  const view = { abi, functionName, args } as Parameters<typeof encodeFunctionData>[0];
  const data = await client.request({
    method: "eth_call",
    params: [{ to: address, data: encodeFunctionData(view) }, "latest"],
  });
  return decodeFunctionResult({ ...view, data } as Parameters<typeof decodeFunctionResult>[0]) as never;
};

/** In wei. viem's `getBalance` may read through a contract, and needs the code of `readContract` for it. */
export const readBalance = async (address: Hex): Promise<bigint> =>
  BigInt(await client.request({ method: "eth_getBalance", params: [address, "latest"] }));
