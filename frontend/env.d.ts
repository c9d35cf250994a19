/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** URL of a web-analytics script, loaded only after consent. */
  readonly VITE_ANALYTICS_URL?: string;
  /** Enables WalletConnect, which is loaded only when it is chosen. */
  readonly VITE_WALLETCONNECT_PROJECT_ID: string;
}
