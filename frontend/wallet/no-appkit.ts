/** In the place of WalletConnect's own modal: `@reown/appkit` is not installed (`vite.config.ts`). */
export const createAppKit = undefined;
