import type { Chain, EIP1193RequestFn, EIP1474Methods, Hex } from "viem";
import type { Connector } from "wagmi";
import { isRecord } from "../../domain/records.ts";
import { hasCode, UNKNOWN_CHAIN } from "./errors.ts";

export type Eip1193Provider = { request: EIP1193RequestFn<EIP1474Methods> };

/** wagmi does not know what its connectors provide. @throws if the wallet is gone */
export async function providerOf(connector: Connector): Promise<Eip1193Provider> {
  const provider = await connector.getProvider();
  if (!isProvider(provider)) throw new Error(`${connector.name} provides no wallet`);
  return provider;
}

function isProvider(value: unknown): value is Eip1193Provider {
  return isRecord(value) && typeof value.request === "function";
}

/** The wallet could not add the network; `cause` is its error. */
export class AddNetworkError extends Error {
  override readonly name = "AddNetworkError";
}

const hex = (id: number): Hex => `0x${id.toString(16)}`;

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
