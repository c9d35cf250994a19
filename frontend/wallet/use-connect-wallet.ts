import { useCallback, useMemo } from "react";
import { type Connector, useConfig, useConnect, useConnectors } from "wagmi";
import { type Translate, useText } from "../i18n/language.tsx";
import { toast } from "../ui/toast.ts";
import { useChooser } from "./chooser-context.ts";
import { WALLETCONNECT_ID } from "./config.ts";
import { AbandonedError, hasCode, REJECTED } from "./errors.ts";
import { isReadersOwn, PASSKEY_WALLET } from "./local-wallets.ts";
import { offerPasskeys } from "./offer-passkeys.ts";
import { useSwitchToTarget } from "./use-switch-to-target.ts";
import { toastWalletFailure } from "./wallet-failure.ts";

const HAS_WALLETCONNECT = Boolean(import.meta.env.VITE_WALLETCONNECT_PROJECT_ID);

/**
 * `connect` connects the user's only wallet, or lets the user choose. `choose` opens the chooser where `connect` would not:
 * the user has exactly one wallet, but others are offered too. Failures are said here.
 */
export function useConnectWallet() {
  const t = useText();
  const config = useConfig();
  const { mutateAsync: request } = useConnect();
  const all = useConnectors();
  const connectors = useMemo(() => offered(all), [all]);
  const switchToTarget = useSwitchToTarget();
  const { open, close } = useChooser();

  /** Brings the wallet to our network, too. */
  const connectWith = useCallback(
    async (connector: Connector) => {
      try {
        await request({ connector });
      } catch (error) {
        if (!hasCode(error, REJECTED)) toastFailure(error, t);
        return;
      }
      toast.success(t("wallet.connected"), { id: "wallet-connect" });
      close();
      await switchToTarget(connector);
    },
    [request, switchToTarget, close, t],
  );
  const connect = useCallback(async () => {
    await offerPasskeys();
    const now = offered(config.connectors);
    const only = onlyOwn(now);
    if (only) return connectWith(only);
    // With a wallet or WalletConnect to choose, the chooser opens.
    if (now.length === 0 && !HAS_WALLETCONNECT) {
      toast.error(t("wallet.notFound"), { id: "wallet-not-found", description: t("wallet.notFound.detail") });
    }
    open();
  }, [config, connectWith, open, t]);
  return { connectors, connect, connectWith, choose: onlyOwn(connectors) && connectors.length > 1 ? open : undefined };
}

/** Announced wallets, the page's own last; a plain `window.ethereum` counts only if the user announces none. */
function offered(connectors: readonly Connector[]): readonly Connector[] {
  const announced = connectors.filter((one) => one.id !== "injected" && one.id !== WALLETCONNECT_ID);
  const plain = connectors.filter(
    (one) => !import.meta.env.SSR && one.id === "injected" && "ethereum" in window && window.ethereum,
  );
  const own = announced.filter(isReadersOwn);
  const passkey = announced.filter((one) => one.id === PASSKEY_WALLET);
  const others = announced.filter((one) => !isReadersOwn(one) && one.id !== PASSKEY_WALLET);
  return [...(own.length > 0 ? own : plain), ...passkey, ...others];
}

/** The user's own wallet, if there is exactly one: it is connected without asking. */
function onlyOwn(connectors: readonly Connector[]): Connector | undefined {
  const own = connectors.filter(isReadersOwn);
  return own.length === 1 && !HAS_WALLETCONNECT ? own[0] : undefined;
}

/** Why no wallet was connected; nothing if the user gave up without a reason. docs/product.md#error-toasts. */
function toastFailure(error: unknown, t: Translate): void {
  if (error instanceof AbandonedError) {
    if (error.reason) toast.error(t("wallet.connectionError"), { id: "wallet-connect", description: error.reason });
  } else toastWalletFailure(error, t);
}
