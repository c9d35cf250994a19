import type { Connector } from "wagmi";
import { reconnect } from "wagmi/actions";
import { walletConnect } from "wagmi/connectors/walletConnect";
import { PRODUCT_NAME } from "../../../domain/product.ts";
import { WALLETCONNECT_ID, wagmiConfig } from "../config.ts";

/** The WalletConnect connector, created when it is first chosen, because it loads the code for the relay. */
export function walletConnectConnector(): Connector {
  const { connectors, _internal } = wagmiConfig;
  const present = connectors.find((one) => one.id === WALLETCONNECT_ID);
  if (present) return present;
  const made = _internal.connectors.setup(
    walletConnect({
      projectId: import.meta.env.VITE_WALLETCONNECT_PROJECT_ID,
      // The app shows the QR code itself: the library's window loads more than a megabyte, partly from other hosts.
      showQrModal: false,
      telemetryEnabled: false,
      logger: "silent",
      metadata: {
        name: PRODUCT_NAME,
        description: document.querySelector<HTMLMetaElement>('meta[name="description"]')?.content ?? "",
        url: location.origin,
        icons: [`${location.origin}/favicon.svg`],
      },
    }),
  );
  _internal.connectors.setState((all) => [...all, made]);
  return made;
}

/** Restores an earlier connection after a reload, as wagmi does for browser wallets. */
export async function restoreWalletConnect(): Promise<void> {
  await reconnect(wagmiConfig, { connectors: [walletConnectConnector()] });
}
