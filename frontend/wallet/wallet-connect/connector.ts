import type { Connector } from "wagmi";
import { reconnect } from "wagmi/actions";
import { walletConnect } from "wagmi/connectors/walletConnect";
import { PRODUCT_NAME } from "../../../domain/product.ts";
import { wagmiConfig } from "../config.ts";
import { WALLETCONNECT_ID } from "../wallet.tsx";

/** WalletConnect among wagmi's connectors, made when it is first chosen: with it comes the code that speaks to the relay. */
export function walletConnectConnector(): Connector {
  const { connectors, _internal } = wagmiConfig;
  const present = connectors.find((one) => one.id === WALLETCONNECT_ID);
  if (present) return present;
  const made = _internal.connectors.setup(
    walletConnect({
      projectId: import.meta.env.VITE_WALLETCONNECT_PROJECT_ID,
      // The code to scan is shown by us: the library's own window loads a megabyte, and more from elsewhere.
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

/** Finds an earlier connection again after a reload, as wagmi does by itself for wallets in the browser. */
export async function restoreWalletConnect(): Promise<void> {
  await reconnect(wagmiConfig, { connectors: [walletConnectConnector()] });
}
