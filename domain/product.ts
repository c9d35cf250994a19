/** The name shown wherever the specification says `{product}`; ASCII, because wallets sign it. */
export const PRODUCT_NAME = "Torcida";

/** Specification, section 9: chain id 0x15b32, the public spicy test network. */
export const SPICY_CHAIN_ID = 0x15b32;
/** Chiliz mainnet. */
export const CHILIZ_CHAIN_ID = 88_888;

/** Specification, section 9. */
export const FEATURED_STORES_MAX = 4;
export const REDIRECT_COUNTDOWN_SECONDS = 10;
export const REGISTRATION_REDIRECT_MS = 1_000;
export const PROFILE_WAIT_MS = 500;
export const ADMIN_RETRY_MS = 5_000;
/** Specification, section 9: the simulated purchase amount is 100 (reais). */
export const SIMULATED_PURCHASE_CENTS = 10_000n;

/** Design, section 7: no list answers more rows than this. */
export const LIST_LIMIT = 500;

/** The highest purchase that is accepted, in cents: R$ 1.000.000,00. The contract's field holds 40 bits. */
export const PURCHASE_CAP_CENTS = 100_000_000n;

/** Design, section 8: 1 CHZ for R$ 1, so that the specification's totals hold to the cent. */
export const DEFAULT_WEI_PER_CENT = 10n ** 16n;
export const WEI_PER_GWEI = 10n ** 9n;
export const CHZ_DECIMALS = 18;
