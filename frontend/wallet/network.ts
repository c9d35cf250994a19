import type { Chain } from "viem";
import { hasCode, UNKNOWN_CHAIN } from "./errors.ts";

export type Eip1193Provider = { request(args: { method: string; params?: unknown }): Promise<unknown> };

/** The wallet could not add the network; `cause` is its error. */
export class AddNetworkError extends Error {
  override readonly name = "AddNetworkError";
}

const hex = (id: number) => `0x${id.toString(16)}`;

export async function readChainId(provider: Eip1193Provider): Promise<number> {
  return Number(await provider.request({ method: "eth_chainId" }));
}

/**
 * Asks the wallet to switch, and to add an unknown chain (4902). Calls the provider directly, because
 * wagmi turns every failed add into 4001. docs/product.md#wallet-network.
 * @throws AddNetworkError, or the wallet's error
 */
export async function switchNetwork(provider: Eip1193Provider, chain: Chain): Promise<void> {
  const change = () => provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: hex(chain.id) }] });
  try {
    await change();
  } catch (error) {
    if (!hasCode(error, UNKNOWN_CHAIN)) throw error;
    await addNetwork(provider, chain);
    if ((await readChainId(provider)) !== chain.id) await change();
  }
}

async function addNetwork(provider: Eip1193Provider, chain: Chain): Promise<void> {
  const parameters = {
    chainId: hex(chain.id),
    chainName: chain.name,
    nativeCurrency: chain.nativeCurrency,
    rpcUrls: chain.rpcUrls.default.http,
    blockExplorerUrls: chain.blockExplorers ? [chain.blockExplorers.default.url] : [],
  };
  try {
    await provider.request({ method: "wallet_addEthereumChain", params: [parameters] });
  } catch (cause) {
    throw new AddNetworkError("The wallet did not add the network", { cause });
  }
}
