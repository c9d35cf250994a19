import { startTransition, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type Connector, useConnection, useConnectors } from "wagmi";
import {
  connect as wagmiConnect,
  disconnect as wagmiDisconnect,
  reconnect as wagmiReconnect,
  watchConnection,
} from "wagmi/actions";
import { shortenAddress, toWalletAddress } from "../../core/rules/wallet-address.ts";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";
import { targetChain } from "../chain/target-chain.ts";
import { type Translate, useText, withLaterTexts } from "../i18n/language.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { toast } from "../ui/toast.ts";
import { WALLETCONNECT_ID, wagmiConfig, walletConnect } from "./config.ts";
import { AbandonedError, AddNetworkError, hasCode, REJECTED, REQUEST_PENDING } from "./errors.ts";
import { isReadersOwn, PASSKEY_WALLET } from "./local-wallets.ts";
import type { Wallet } from "./wallet.tsx";

/** Loaded with the first request, and not with the wallet: most visits ask nothing of it. */
const loadRequests = () => import("./requests.ts");
const WalletChooser = fetchedDialog(() => withLaterTexts(() => import("./wallet-chooser.tsx")));

/** How long the message is shown before an external change of chain reloads the page. */
const RELOAD_AFTER_MS = 1_200;
/** For this long after our own switch, a change of the chain counts as ours. */
const OWN_SWITCH_MS = 1_000;
/** Whether the page before had a wallet: only then is the first "connecting" a restoring. */
const hadWallet = readStored(STORAGE_KEYS.recentConnector) !== null;
const HAS_WALLETCONNECT = Boolean(import.meta.env.VITE_WALLETCONNECT_PROJECT_ID);

/** The wallet of wagmi, reported to the provider in `wallet.tsx`, which loads this code after the first paint. */
export function WagmiWallet({ onChange }: { onChange: (wallet: Wallet) => void }) {
  const ownSwitch = useRef(false);
  const reconnect = useRef(() => {});
  useWalletChanges(ownSwitch, reconnect);
  useRememberedWalletConnect();

  const [isChoosing, setChoosing] = useState(false);
  const openChooser = useCallback(() => setChoosing(true), []);
  const closeChooser = useCallback(() => setChoosing(false), []);
  const connectors = useAnnouncedWallets();
  const askForTarget = useAskForTarget(ownSwitch);
  const { isConnecting, isDeclined, connectWith } = useConnectWith({ askForTarget, onConnected: closeChooser });
  const { connect, choose } = useConnect({ connectors, connectWith, openChooser });
  reconnect.current = connect;

  const connected = useConnected(askForTarget);
  const isRestoring = connected.isRestoring && !isConnecting;
  const ways = { connectors, connect, connectWith, choose };
  const wallet = useUnchanged({ ...connected, isRestoring, isConnecting, isDeclined, ...ways });
  useReport(wallet, onChange);
  return isChoosing && <WalletChooser onClose={closeChooser} />;
}

type ConnectParameters = {
  connectors: readonly Connector[];
  connectWith: (connector: Connector) => Promise<void>;
  openChooser: () => void;
};

/** Connects the user's only wallet, or lets the user choose. */
function useConnect({ connectors, connectWith, openChooser }: ConnectParameters) {
  const t = useText();
  const only = onlyOwn(connectors);
  const connect = useCallback(async () => {
    if (only) return connectWith(only);
    // With a wallet or WalletConnect to choose, the chooser opens.
    if (connectors.length === 0 && !HAS_WALLETCONNECT) {
      toast.error(t("wallet.notFound"), { id: "wallet-not-found", description: t("wallet.notFound.detail") });
    }
    openChooser();
  }, [only, connectors, connectWith, openChooser, t]);
  return { connect, choose: only && connectors.length > 1 ? openChooser : undefined };
}

function useConnected(askForTarget: (connector: Connector) => Promise<void>) {
  const connection = useConnection({ config: wagmiConfig });
  const { connector } = connection;
  const address = connection.status === "connected" ? toWalletAddress(connection.address) : undefined;
  useEffect(() => {
    if (address) store(STORAGE_KEYS.currentWallet, address);
  }, [address]);

  const disconnect = useCallback(async () => {
    await wagmiDisconnect(wagmiConfig);
  }, []);
  const switchToTarget = useCallback(async () => {
    if (connector) await askForTarget(connector);
  }, [askForTarget, connector]);
  const sign = useCallback(
    async (message: string) => {
      if (!connector || !address) throw new Error("No wallet is connected");
      const { signWith } = await loadRequests();
      return signWith(connector, address, message);
    },
    [connector, address],
  );
  const isRestoring = hadWallet && connection.status === "connecting";
  const isWrongNetwork = address !== undefined && connection.chainId !== targetChain.id;
  return { address, isRestoring, isWrongNetwork, disconnect, switchToTarget, sign };
}

/** Asks a wallet to switch to our network, and to add it if the wallet does not know it. */
function useAskForTarget(ownSwitch: { current: boolean }): (connector: Connector) => Promise<void> {
  const t = useText();
  return useCallback(
    async (connector: Connector) => {
      const onAsk = () => {
        toast.warning(t("wallet.wrongNetwork"), {
          id: "network",
          description: t("wallet.wrongNetwork.detail", { network: targetChain.name }),
        });
        ownSwitch.current = true;
      };
      try {
        const { switchNetwork } = await loadRequests();
        const wasAsked = await switchNetwork(connector, targetChain, onAsk);
        if (wasAsked) toast.success(t("wallet.correctNetwork"), { id: "network" });
      } catch (error) {
        toastSwitchFailure(error, t);
      } finally {
        // The wallet's event may arrive a moment after its response.
        setTimeout(() => {
          ownSwitch.current = false;
        }, OWN_SWITCH_MS);
      }
    },
    [ownSwitch, t],
  );
}

type ConnectWithParameters = { askForTarget: (connector: Connector) => Promise<void>; onConnected: () => void };

/** Connects a wallet and brings it to our network. */
function useConnectWith({ askForTarget, onConnected }: ConnectWithParameters) {
  const t = useText();
  const [isConnecting, setConnecting] = useState(false);
  const [isDeclined, setDeclined] = useState(false);
  const connectWith = useCallback(
    async (connector: Connector, abandoned?: Promise<never>) => {
      setConnecting(true);
      setDeclined(false);
      try {
        const connected = wagmiConnect(wagmiConfig, { connector });
        await (abandoned ? Promise.race([connected, abandoned]) : connected);
        toast.success(t("wallet.connected"), { id: "wallet-connect" });
        onConnected();
        await askForTarget(connector);
      } catch (error) {
        if (hasCode(error, REJECTED)) setDeclined(true);
        else toastConnectFailure(error, t);
      } finally {
        setConnecting(false);
      }
    },
    [askForTarget, onConnected, t],
  );
  return { isConnecting, isDeclined, connectWith };
}

function useReport(wallet: Wallet, onChange: (wallet: Wallet) => void): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // The first report changes little on the page, so it is rendered in slices.
    if (isFirst.current) startTransition(() => onChange(wallet));
    else onChange(wallet);
    isFirst.current = false;
  }, [onChange, wallet]);
}

/** Returns the previous render's object while none of its fields has changed. */
function useUnchanged<T extends object>(now: T): T {
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on each field, and the set of fields never changes
  return useMemo(() => now, Object.values(now));
}

/** The user's own wallet, if there is exactly one: it is connected without asking. */
function onlyOwn(connectors: readonly Connector[]): Connector | undefined {
  const own = connectors.filter(isReadersOwn);
  return own.length === 1 && !HAS_WALLETCONNECT ? own[0] : undefined;
}

/** Announced wallets; a plain `window.ethereum` counts only if there is none. */
function useAnnouncedWallets(): readonly Connector[] {
  const connectors = useConnectors({ config: wagmiConfig });
  return useMemo(() => {
    const announced = connectors.filter((one) => one.id !== "injected" && one.id !== WALLETCONNECT_ID);
    const plain = connectors.filter((one) => one.id === "injected" && "ethereum" in window && window.ethereum);
    const own = announced.filter(isReadersOwn);
    const passkey = announced.filter((one) => one.id === PASSKEY_WALLET);
    const others = announced.filter((one) => !isReadersOwn(one) && one.id !== PASSKEY_WALLET);
    return [...(own.length > 0 ? own : plain), ...passkey, ...others];
  }, [connectors]);
}

/** Restores a WalletConnect connection after a reload; other pages do not load its code. */
function useRememberedWalletConnect(): void {
  useEffect(() => {
    if (!import.meta.env.VITE_WALLETCONNECT_PROJECT_ID) return;
    async function restore() {
      if ((await wagmiConfig.storage?.getItem("recentConnectorId")) !== WALLETCONNECT_ID) return;
      await wagmiReconnect(wagmiConfig, { connectors: [walletConnect()] });
    }
    restore().catch(() => {
      // Stays disconnected, and can be chosen again.
    });
  }, []);
}

/** Reports external changes of the wallet: another account, another chain, locked or disconnected. */
function useWalletChanges(ownSwitch: { current: boolean }, reconnect: { current: () => void }): void {
  const t = useText();
  const words = useRef(t);
  words.current = t;
  useEffect(
    () =>
      watchConnection(wagmiConfig, {
        onChange(now, before) {
          if (before.status !== "connected") return;
          if (now.status === "disconnected") {
            toast(words.current("wallet.disconnected"), {
              id: "wallet-disconnected",
              action: { label: words.current("wallet.reconnect"), onClick: () => reconnect.current() },
            });
            return;
          }
          if (now.status !== "connected" || now.connector.uid !== before.connector.uid) return;
          if (now.address !== before.address) {
            toast(words.current("wallet.accountChanged"), {
              id: "wallet-account",
              description: shortenAddress(now.address.toLowerCase()),
            });
          }
          if (now.chainId !== before.chainId && !ownSwitch.current) {
            const isRight = now.chainId === targetChain.id;
            const title = words.current(isRight ? "wallet.correctNetwork" : "wallet.wrongNetwork");
            toast[isRight ? "success" : "warning"](title, {
              id: "network",
              description: words.current("wallet.reloading"),
            });
            const timer = setTimeout(() => location.reload(), RELOAD_AFTER_MS);
            // A page that is being left or reloaded already is not stopped in it.
            addEventListener("beforeunload", () => clearTimeout(timer), { once: true });
          }
        },
      }),
    [ownSwitch, reconnect],
  );
}

/** Why no wallet was connected; nothing if the user gave up without a reason. docs/product.md#error-toasts. */
function toastConnectFailure(error: unknown, t: Translate): void {
  if (error instanceof AbandonedError) {
    if (error.reason) toast.error(t("wallet.connectionError"), { id: "wallet-connect", description: error.reason });
  } else toastWalletFailure(error, t);
}

/** Why the wallet is still on another network. */
function toastSwitchFailure(error: unknown, t: Translate): void {
  if (error instanceof AddNetworkError) {
    toast.error(t("wallet.addNetworkError"), {
      id: "network-add",
      description: t(hasCode(error, REJECTED) ? "wallet.declined" : "wallet.addNetworkError.detail"),
    });
  } else if (hasCode(error, REJECTED)) {
    toast.warning(t("wallet.wrongNetwork"), { id: "network", description: t("wallet.declined") });
  } else toastWalletFailure(error, t);
}

function toastWalletFailure(error: unknown, t: Translate): void {
  if (hasCode(error, REQUEST_PENDING)) toast.warning(t("wallet.requestPending"), { id: "wallet-pending" });
  else
    toast.error(t("wallet.connectionError"), {
      id: "wallet-connect",
      description: t("wallet.connectionError.detail"),
    });
}
