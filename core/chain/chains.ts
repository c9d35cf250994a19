import { type Chain, defineChain } from "viem";
import { CHAIN_IDS, type Network } from "../rules/networks.ts";

const CHZ = { name: "Chiliz", symbol: "CHZ", decimals: 18 } as const;

/** Chiliz Spicy. Our own definition: wallets refuse viem's explorer address, which is http. docs/product.md#wallet-network. */
export const spicy = defineChain({
  id: CHAIN_IDS.spicy,
  name: "Chiliz Spicy Testnet",
  nativeCurrency: CHZ,
  rpcUrls: {
    default: {
      http: ["https://spicy-rpc.chiliz.com", "https://chiliz-spicy-rpc.publicnode.com"],
      webSocket: ["wss://spicy-rpc-ws.chiliz.com"],
    },
  },
  blockExplorers: { default: { name: "Chiliscan", url: "https://testnet.chiliscan.com" } },
  testnet: true,
});

export const chiliz = defineChain({
  id: CHAIN_IDS.chiliz,
  name: "Chiliz Chain",
  nativeCurrency: CHZ,
  rpcUrls: { default: { http: ["https://rpc.chiliz.com", "https://chiliz-rpc.publicnode.com"] } },
  blockExplorers: { default: { name: "Chiliscan", url: "https://chiliscan.com" } },
});

/** The definition of a network; on the local chain the node's own URL replaces the public ones. */
export function chainOf(network: Network, localRpcUrl = "http://127.0.0.1:8545"): Chain {
  const chains: Record<Network, Chain> = {
    localhost: { ...spicy, name: "Torcida local", rpcUrls: { default: { http: [localRpcUrl] } } },
    spicy,
    chiliz,
  };
  return chains[network];
}
