import type { MessageId } from "../i18n/language.tsx";

/** The EIP-6963 name of the wallet behind a passkey. */
export const PASSKEY_WALLET = "torcida.passkey";

export type LocalWallet = { name: MessageId; detail: MessageId };

/**
 * Wallets that come with the page, by their EIP-6963 name (`rdns`): listed after the user's own, and never connected
 * unless chosen. The one behind a passkey, and on the local chain the demo wallets.
 */
export const localWallets = new Map<string, LocalWallet>();

/** Addresses of wallets that this page has made: who made one goes on to register it. */
export const newWallets = new Set<string>();

/** Not one that came with the page. */
export const isReadersOwn = ({ id }: { id: string }): boolean => !localWallets.has(id);
