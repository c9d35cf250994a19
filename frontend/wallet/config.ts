import { createConfig, http, injected } from "wagmi";
import { chainOf } from "../../chain/chains.ts";

/** The chain that this build is for. Our own definition, with an https explorer. docs/product.md#wallet-network. */
export const targetChain = chainOf(import.meta.env.VITE_NETWORK);

/** Wallets announce themselves by EIP-6963; `injected` serves those that only set `window.ethereum`. */
export const wagmiConfig = createConfig({
  chains: [targetChain],
  connectors: [injected()],
  multiInjectedProviderDiscovery: true,
  transports: { [targetChain.id]: http() },
});

declare module "wagmi" {
  interface Register {
    config: typeof wagmiConfig;
  }
}
