import { createConfig, http, injected } from "wagmi";
import { reconnect } from "wagmi/actions";
import { targetChain } from "../chain/target-chain.ts";

/** Wallets announce themselves by EIP-6963; `injected` serves those that only set `window.ethereum`. */
export const wagmiConfig = createConfig({
  chains: [targetChain],
  connectors: [injected()],
  multiInjectedProviderDiscovery: true,
  transports: { [targetChain.id]: http() },
});

/** The id by which wagmi remembers the connector. */
export const WALLETCONNECT_ID = "walletConnect";

type Persisted = {
  persist: { hasHydrated(): boolean; onFinishHydration(done: (state: unknown) => void): void };
};

/** The longest wait for a browser that blocks its storage. */
const HYDRATION_MS = 500;

/**
 * Asks every wallet to announce itself, once wagmi has read its storage, because it drops earlier announcements. Then
 * reconnects an earlier wallet, which is "reconnecting" when this returns.
 */
export async function findWallets(): Promise<void> {
  const { mipd } = wagmiConfig._internal;
  const store: object = wagmiConfig._internal.store;
  if (isPersisted(store) && !store.persist.hasHydrated()) {
    const hydrated = new Promise<unknown>((resolve) => store.persist.onFinishHydration(resolve));
    await Promise.race([hydrated, new Promise((resolve) => setTimeout(resolve, HYDRATION_MS))]);
  }
  mipd?.reset();
  reconnect(wagmiConfig).catch(() => {
    // Stays disconnected, and can be connected again.
  });
}

/** wagmi's store reads the storage; the type of that part is in a package that is not a direct dependency. */
function isPersisted(store: object): store is Persisted {
  return "persist" in store;
}

declare module "wagmi" {
  interface Register {
    config: typeof wagmiConfig;
  }
}
