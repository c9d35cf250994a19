import { type Connector, type CreateConnectorFn, createConfig, createStorage, http, injected } from "wagmi";
import { targetChain } from "../chain/target-chain.ts";

/** The id by which wagmi remembers the connector. */
export const WALLETCONNECT_ID = "walletConnect";

/** WalletConnect, whose code and relay load with its first use: wagmi's own connector asks the relay at once. */
const walletConnectLater: CreateConnectorFn = (config) => {
  let loading: Promise<ReturnType<CreateConnectorFn>> | undefined;
  const load = async () => {
    const { walletConnectConnector } = await import("./wallet-connect/connector.ts");
    return walletConnectConnector(config);
  };
  const loaded = () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    id: WALLETCONNECT_ID,
    name: "WalletConnect",
    type: WALLETCONNECT_ID,
    connect: async (parameters) => (await loaded()).connect(parameters),
    disconnect: async () => (await loaded()).disconnect(),
    getAccounts: async () => (await loaded()).getAccounts(),
    getChainId: async () => (await loaded()).getChainId(),
    getProvider: async (parameters) => (await loaded()).getProvider(parameters),
    isAuthorized: async () => (await loaded()).isAuthorized(),
    onAccountsChanged: async (accounts) => (await loaded()).onAccountsChanged(accounts),
    onChainChanged: async (chainId) => (await loaded()).onChainChanged(chainId),
    onDisconnect: async (error) => (await loaded()).onDisconnect(error),
  };
};

/** What wagmi remembers. A browser that forbids storage remembers nothing. */
const remembered = createStorage({
  storage: {
    getItem: (key) => tried(() => localStorage.getItem(key)),
    setItem: (key, value) => void tried(() => localStorage.setItem(key, value)),
    removeItem: (key) => void tried(() => localStorage.removeItem(key)),
  },
});

function tried<Result>(act: () => Result): Result | null {
  try {
    return act();
  } catch {
    return null;
  }
}

/**
 * Without wagmi's state of the page before, which says no more than `recentConnectorId`: until it has been read, by
 * promises, wagmi drops every wallet that announces itself.
 */
const storage: typeof remembered = {
  ...remembered,
  getItem: ((key, fallback) =>
    String(key) === "store" ? null : remembered.getItem(key, fallback)) as typeof remembered.getItem,
};

/** Wallets announce themselves by EIP-6963; `injected` serves those that only set `window.ethereum`. */
export const wagmiConfig = createConfig({
  chains: [targetChain],
  connectors: import.meta.env.VITE_WALLETCONNECT_PROJECT_ID ? [injected(), walletConnectLater] : [injected()],
  multiInjectedProviderDiscovery: true,
  storage,
  transports: { [targetChain.id]: http() },
});

/** @throws if WalletConnect is not configured; then no screen offers it */
export function walletConnect(): Connector {
  const connector = wagmiConfig.connectors.find(({ id }) => id === WALLETCONNECT_ID);
  if (!connector) throw new Error("WalletConnect needs VITE_WALLETCONNECT_PROJECT_ID");
  return connector;
}

declare module "wagmi" {
  interface Register {
    config: typeof wagmiConfig;
  }
}
