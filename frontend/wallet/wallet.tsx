import {
  type ComponentType,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import type { Connector } from "wagmi";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { paths } from "../app/paths.ts";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";
import { toast } from "../ui/toast.ts";

export type Wallet = {
  /** Lower case; undefined while no wallet is connected. */
  address: WalletAddress | undefined;
  isConnecting: boolean;
  /** The user declined the last request to connect: said where it was asked, since it is no failure. */
  isDeclined: boolean;
  /** True until it is known whether an earlier connection can be restored. */
  isRestoring: boolean;
  isWrongNetwork: boolean;
  /** Announced wallets; the page's own wallets come last. */
  connectors: readonly Connector[];
  /** Connects the only wallet, or lets the user choose. */
  connect: () => Promise<void>;
  /** `abandoned` rejects with an AbandonedError when the wait is over. */
  connectWith: (connector: Connector, abandoned?: Promise<never>) => Promise<void>;
  /** Opens the chooser where `connect` would not: the user has exactly one wallet, but others are offered too. */
  choose: (() => void) | undefined;
  disconnect: () => Promise<void>;
  switchToTarget: () => Promise<void>;
  /** @throws AddressMismatchError, or the wallet's error */
  sign: (message: string) => Promise<string>;
};

const WalletContext = createContext<Wallet | undefined>(undefined);

export function useWallet(): Wallet {
  const wallet = useContext(WalletContext);
  if (!wallet) throw new Error("useWallet must be called inside a WalletProvider");
  return wallet;
}

type Reporter = ComponentType<{ onChange: (wallet: Wallet) => void }>;

let loading: Promise<Reporter> | undefined;

/** wagmi and viem, a sixth of the page's code: who only reads never loads it. */
function loadWagmi(): Promise<Reporter> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Reporter> {
  const [{ WagmiWallet }, { findWallets }] = await Promise.all([
    import("./wagmi-wallet.tsx"),
    import("./find-wallets.ts"),
  ]);
  await findWallets();
  return WagmiWallet;
}

/** Whether the header or the page shows a wallet from the start: one connected earlier, or the page that connects one. */
const isWantedAtOnce = readStored(STORAGE_KEYS.recentConnector) !== null || location.pathname === paths.auth();
// A failure is reported to the user who clicks.
if (isWantedAtOnce) loadWagmi().catch(() => {});

export function WalletProvider({ children }: { children: ReactNode }) {
  const [wallet, setWallet] = useState<Wallet>();
  const { Wagmi, state, setState, connectLater } = useWagmi();

  // Repeats the click that came before the code was loaded.
  useEffect(() => {
    if (!wallet || wallet.isRestoring || state !== "asked") return;
    setState("absent");
    if (!wallet.address) wallet.connect();
  }, [wallet, state, setState]);

  const early = useMemo(() => earlyWallet(state, connectLater), [state, connectLater]);
  return (
    <WalletContext value={wallet ?? early}>
      {children}
      {Wagmi && <Wagmi onChange={setWallet} />}
    </WalletContext>
  );
}

/** `loading`: an earlier connection may be restored. `asked`: the user clicked before the code arrived. */
type EarlyState = "loading" | "absent" | "asked";

/** wagmi's code, loaded at once or at the user's first action, which may be to ask for it. */
function useWagmi() {
  const t = useText();
  const [Wagmi, setWagmi] = useState<Reporter>();
  const [state, setState] = useState<EarlyState>(isWantedAtOnce ? "loading" : "absent");

  useEffect(() => {
    let isHere = true;
    const show = async () => {
      const loaded = await loadWagmi().catch(() => undefined);
      if (!isHere) return;
      if (loaded) setWagmi(() => loaded);
      else setState("absent");
    };
    if (isWantedAtOnce) show();
    const cancel = isWantedAtOnce ? undefined : atFirstAction(show);
    return () => {
      isHere = false;
      cancel?.();
    };
  }, []);

  const connectLater = useCallback(async () => {
    setState("asked");
    try {
      const loaded = await loadWagmi();
      setWagmi(() => loaded);
    } catch {
      setState("absent");
      const description = t(navigator.onLine ? "state.serverAway" : "state.offline");
      toast.error(t("wallet.connectionError"), { id: "wallet-connect", description });
    }
  }, [t]);
  return { Wagmi, state, setState, connectLater };
}

/** The wallet until wagmi's code has reported one. */
function earlyWallet(state: EarlyState, connectLater: () => Promise<void>): Wallet {
  return {
    address: undefined,
    isConnecting: state === "asked",
    isDeclined: false,
    isRestoring: state === "loading",
    isWrongNetwork: false,
    connectors: [],
    connect: connectLater,
    connectWith: connectLater,
    choose: undefined,
    disconnect: async () => {},
    switchToTarget: async () => {},
    sign: () => Promise.reject(new Error("No wallet is connected")),
  };
}

/** Runs work at the user's first action on the page. Returns a function that cancels it. */
function atFirstAction(work: () => void): () => void {
  const done = new AbortController();
  const run = () => {
    done.abort();
    work();
  };
  for (const action of ["pointerdown", "keydown"])
    addEventListener(action, run, { signal: done.signal, passive: true });
  return () => done.abort();
}
