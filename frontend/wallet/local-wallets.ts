import type { MessageId } from "../i18n/language.tsx";

export type LocalWallet = { name: MessageId; detail: MessageId };

/**
 * Wallets that come with the page, by their EIP-6963 name (`rdns`): listed after the user's own, and never connected
 * unless chosen. The development entry fills it; in a production build it stays empty.
 */
export const localWallets = new Map<string, LocalWallet>();

/** Not one that came with the page. */
export const isReadersOwn = ({ id }: { id: string }): boolean => !localWallets.has(id);
