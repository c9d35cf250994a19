import { createPublicClient, fallback, http, type PublicClient } from "viem";
import { chainOf } from "../../chain/chains.ts";
import type { Network } from "../../domain/networks.ts";

/** Below the five seconds within which every call is answered. docs/product.md#limit-answer-time. */
const TIMEOUT_MS = 3_000;
const BATCH_SIZE = 100;

export type ChainClient = PublicClient;

/** The node serves another chain than the configured one. */
export class WrongChainError extends Error {
  override readonly name = "WrongChainError";
}

/** Reads from the first RPC that responds; calls made at the same time are batched. */
export function createChainClient(network: Network, rpcUrls: readonly string[]): ChainClient {
  const transports = rpcUrls.map((url) => http(url, transportOptions()));
  const [only] = transports;
  return createPublicClient({
    chain: chainOf(network, rpcUrls[0]),
    transport: transports.length === 1 && only ? only : fallback(transports, { retryCount: 0 }),
    cacheTime: 0,
  });
}

/**
 * Asks every RPC for its chain id. Returns how many responded; an RPC that is down is not a configuration error.
 * @throws WrongChainError
 */
export async function checkChainIds(rpcUrls: readonly string[], chainId: number): Promise<number> {
  const answers = await Promise.allSettled(
    rpcUrls.map((url) => createPublicClient({ transport: http(url, transportOptions()) }).getChainId()),
  );
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "fulfilled" && answer.value !== chainId) {
      throw new WrongChainError(
        `The RPC ${withoutPath(rpcUrls[index])} is of chain ${answer.value}, not ${chainId}; check RPC_URLS and CHAIN_ID`,
      );
    }
  }
  return answers.filter((answer) => answer.status === "fulfilled").length;
}

/** Providers put keys into the path, so messages show only the host. */
function withoutPath(url: string | undefined): string {
  return url && URL.canParse(url) ? new URL(url).origin : "";
}

function transportOptions() {
  return { timeout: TIMEOUT_MS, retryCount: 0, batch: { batchSize: BATCH_SIZE } };
}
