import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type State, useConfig, WagmiProvider } from "wagmi";
import { watchConnection } from "wagmi/actions";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { queryClient } from "../api/queries.ts";
import { STORAGE_KEYS, store } from "../app/storage.ts";
import { targetChain } from "../chain/target-chain.ts";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { toast } from "../ui/toast.ts";
import { ChooserContext } from "./chooser-context.ts";
import { wagmiConfig } from "./config.ts";
import { restoreLate } from "./late-wallets.ts";
import { offerPasskeys } from "./offer-passkeys.ts";
import { useConnectWallet } from "./use-connect-wallet.ts";
import { wasAskedFor } from "./use-switch-to-target.ts";
import { hadWallet, useWallet } from "./use-wallet.ts";

const WalletChooser = fetchedDialog(() => withLaterTexts(() => import("./wallet-chooser.tsx")));

/** How long the message is shown before an external change of chain reloads the page. */
const RELOAD_AFTER_MS = 1_200;

/** From the first render on, so that the page does not show a way to connect that is gone a moment later. */
const RESTORING: State = { chainId: targetChain.id, connections: new Map(), current: null, status: "reconnecting" };

/** wagmi, which restores a wallet of the page before, and the dialog that chooses one. docs/product.md#wallet */
export function WalletProvider({ children }: { children: ReactNode }) {
  return (
    <WagmiProvider config={wagmiConfig} reconnectOnMount={hadWallet} {...(hadWallet && { initialState: RESTORING })}>
      <Chooser>{children}</Chooser>
    </WagmiProvider>
  );
}

function Chooser({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const chooser = useMemo(() => ({ open: () => setOpen(true), close }), [close]);
  return (
    <ChooserContext value={chooser}>
      {children}
      <WalletChanges />
      {isOpen && <WalletChooser onClose={close} />}
    </ChooserContext>
  );
}

/** Says external changes of the wallet: another account, another chain, locked or disconnected. */
function WalletChanges() {
  const t = useText();
  const config = useConfig();
  const { address, isRestoring } = useWallet();
  const { connect } = useConnectWallet();
  const current = useRef({ t, connect });
  current.current = { t, connect };
  useEffect(() => {
    if (address) store(STORAGE_KEYS.currentWallet, address);
  }, [address]);
  useEffect(() => (address || isRestoring ? undefined : atFirstAction(offerPasskeys)), [address, isRestoring]);
  const isAway = hadWallet && !address && !isRestoring;
  useEffect(() => (isAway ? restoreLate(config) : undefined), [config, isAway]);
  useEffect(
    () =>
      watchConnection(config, {
        onChange(now, before) {
          const { t } = current.current;
          if (before.status !== "connected") return;
          if (now.status === "disconnected") {
            toast(t("wallet.disconnected"), {
              id: "wallet-disconnected",
              action: { label: t("wallet.reconnect"), onClick: () => current.current.connect() },
            });
            return;
          }
          if (now.status !== "connected" || now.connector.uid !== before.connector.uid) return;
          if (now.address !== before.address) {
            toast(t("wallet.accountChanged"), {
              id: "wallet-account",
              description: shortenAddress(now.address.toLowerCase()),
            });
          }
          if (now.chainId !== before.chainId && !isSwitching()) {
            const isRight = now.chainId === targetChain.id;
            // Asked for by the page, and told by the wallet long after its answer.
            if (isRight && wasAskedFor()) return void toast.success(t("wallet.correctNetwork"), { id: "network" });
            const title = t(isRight ? "wallet.correctNetwork" : "wallet.wrongNetwork");
            toast[isRight ? "success" : "warning"](title, { id: "network", description: t("wallet.reloading") });
            const timer = setTimeout(() => location.reload(), RELOAD_AFTER_MS);
            // A page that is being left or reloaded already is not stopped in it.
            addEventListener("beforeunload", () => clearTimeout(timer), { once: true });
          }
        },
      }),
    [config],
  );
  return null;
}

/** Whether the page itself has asked for another chain: wagmi tells of the change before it ends its request. */
const isSwitching = () => queryClient.isMutating({ mutationKey: ["switchChain"] }) > 0;

/** So that a click that connects waits for nothing. Returns a function that cancels it. */
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
