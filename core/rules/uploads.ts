/** What may be uploaded. */

/** A store's logo: 512 KiB, and this many pixels a side. docs/product.md#panel-logo */
export const LOGO_BYTES = 512 * 1_024;
export const LOGO_SIDE_PIXELS = 4_096;
/** A claim's picture, of the same size in pixels at most. docs/product.md#sales-claims */
export const CLAIM_PICTURE_BYTES = 1_024 * 1_024;
/** Enough for ten thousand stores with their categories. docs/product.md#panel-catalogue */
export const CATALOGUE_FILE_BYTES = 8 * 1_024 * 1_024;
