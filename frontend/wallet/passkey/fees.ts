import { type Hex, hexToBigInt, numberToHex } from "viem";
import { client } from "../../chain/client.ts";
import { NotSentError } from "./not-sent.ts";

/** What the node would take now: its base fee may grow by half until the transaction is mined. */
export async function feesNow(): Promise<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }> {
  const [block, tip] = await Promise.all([
    client.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
    client.request({ method: "eth_maxPriorityFeePerGas" }),
  ]);
  const maxPriorityFeePerGas = hexToBigInt(tip);
  const base = hexToBigInt(block?.baseFeePerGas ?? "0x0");
  return { maxFeePerGas: (base * 3n) / 2n + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** The fee of about a hundred transfers on the Chiliz Chain. A node that names more is not believed. */
const HIGHEST_FEE_WEI = 5n * 10n ** 18n;

/** The highest fee that a transaction allows. @throws NotSentError if that is beyond all sense */
export function feeOf({ gas, maxFeePerGas }: { gas: bigint; maxFeePerGas: bigint }): bigint {
  const fee = gas * maxFeePerGas;
  if (fee > HIGHEST_FEE_WEI) throw new NotSentError("passkey.send.feeTooHigh");
  return fee;
}

export async function gasOf(call: { from: Hex; to: Hex; value: bigint; data?: Hex }): Promise<bigint> {
  return hexToBigInt(
    await client.request({ method: "eth_estimateGas", params: [{ ...call, value: numberToHex(call.value) }] }),
  );
}

export const nonceOf = async (address: Hex): Promise<number> =>
  Number(await client.request({ method: "eth_getTransactionCount", params: [address, "pending"] }));

const ASK_EVERY_MS = 1_000;
const WAIT_MS = 60_000;

/**
 * Waits until a transaction is mined, whatever the node answers meanwhile.
 * @returns whether it did what it should; undefined if it was not seen within a minute
 */
export async function isMined(hash: Hex): Promise<boolean | undefined> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; ) {
    const receipt = await client.request({ method: "eth_getTransactionReceipt", params: [hash] }).catch(() => null);
    if (receipt) return receipt.status === "0x1";
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  return undefined;
}
