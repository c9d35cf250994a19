/** The product's name; ASCII, because wallets sign it. docs/product.md#product-name. */
export const PRODUCT_NAME = "Torcida";

/** These five: docs/product.md#timings. */
export const FEATURED_STORES_MAX = 4;
export const REDIRECT_COUNTDOWN_SECONDS = 10;
export const REGISTRATION_REDIRECT_MS = 1_000;
export const PROFILE_WAIT_MS = 500;
export const ADMIN_RETRY_MS = 5_000;
/** What the web app sends for a simulated purchase: R$ 100. docs/product.md#purchase-simulated. */
export const SIMULATED_PURCHASE_CENTS = 10_000n;

/** No list returns more rows than this. docs/product.md#limit-lists. */
export const LIST_LIMIT = 500;
/** How many stores a list of them by their ids has at most. */
export const STORES_BY_ID_MAX = 100;
/** How many of the newest tickets and purchases the profile contains; the others are paged. */
export const PROFILE_LIMIT = 24;

/** The highest value of a purchase, in cents: R$ 1,000,000.00. The contract's field has 40 bits. docs/product.md#purchase-value. */
export const PURCHASE_CAP_CENTS = 100_000_000n;
/** The longest `metadata_uri` of a purchase, in bytes of UTF-8. docs/product.md#mint */
export const METADATA_URI_MAX_BYTES = 200;

/** 1 CHZ for R$ 1. docs/product.md#rate. */
export const DEFAULT_WEI_PER_CENT = 10n ** 16n;
export const WEI_PER_GWEI = 10n ** 9n;
export const CHZ_DECIMALS = 18;
