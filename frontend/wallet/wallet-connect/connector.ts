import type { CreateConnectorFn } from "wagmi";
import { walletConnect } from "wagmi/connectors/walletConnect";
import { PRODUCT_NAME } from "../../../core/rules/product.ts";

/** wagmi's connector for WalletConnect. */
export const walletConnectConnector: CreateConnectorFn = (config) => {
  const connector = walletConnect({
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
  })(config);
  connector.setup?.();
  return connector;
};
