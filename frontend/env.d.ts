/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Address of a web-analytics script; none is loaded without it, nor before consent. */
  readonly VITE_ANALYTICS_URL?: string;
  /** Enables WalletConnect, which is loaded only when it is chosen; empty without it. */
  readonly VITE_WALLETCONNECT_PROJECT_ID: string;
}
