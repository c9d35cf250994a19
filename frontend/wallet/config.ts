import { type Connector, type CreateConnectorFn, createConfig, createStorage, http, injected } from "wagmi";
import { targetChain } from "../chain/target-chain.ts";
import type { AbandonedError } from "./errors.ts";

/** The id by which wagmi remembers the connector. */
export const WALLETCONNECT_ID = "walletConnect";

/** Ends the waiting for a phone's answer. */
let giveUp: (why: AbandonedError) => void = () => {};
export const abandonPairing = (why: AbandonedError): void => giveUp(why);

/**
 * WalletConnect, whose code and relay load with its first use, or where it was connected before: wagmi's own connector asks
 * the relay at once.
 */
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
  const isWanted = async () =>
    loading !== undefined || (await config.storage?.getItem("recentConnectorId")) === WALLETCONNECT_ID;
  return {
    id: WALLETCONNECT_ID,
    name: "WalletConnect",
    type: WALLETCONNECT_ID,
    connect(parameters) {
      const abandoned = new Promise<never>((_resolve, reject) => {
        giveUp = reject;
      });
      return Promise.race([loaded().then((connector) => connector.connect(parameters)), abandoned]);
    },
    disconnect: async () => (await loaded()).disconnect(),
    getAccounts: async () => (await loaded()).getAccounts(),
    getChainId: async () => (await loaded()).getChainId(),
    // wagmi asks each connector for it to restore a connection.
    getProvider: async (parameters) => ((await isWanted()) ? (await loaded()).getProvider(parameters) : undefined),
    isAuthorized: async () => (await loaded()).isAuthorized(),
    onAccountsChanged: async (accounts) => (await loaded()).onAccountsChanged(accounts),
    onChainChanged: async (chainId) => (await loaded()).onChainChanged(chainId),
    onDisconnect: async (error) => (await loaded()).onDisconnect(error),
  };
};

/** What wagmi remembers. A browser that forbids storage remembers nothing. */
const storage = createStorage({
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

/** Wallets announce themselves by EIP-6963; `injected` serves those that only set `window.ethereum`. */
export const wagmiConfig = createConfig({
  chains: [targetChain],
  connectors: import.meta.env.VITE_WALLETCONNECT_PROJECT_ID ? [injected(), walletConnectLater] : [injected()],
  storage,
  // wagmi reads what it remembers when it is mounted, and then takes every wallet that has announced itself: otherwise it
  // reads at once, and drops those that announce themselves until it has.
  ssr: true,
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
