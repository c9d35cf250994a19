import { TorcidaError } from "../torcida-error.ts";

/** The actor would decide about their own money. */
export class OwnSaleError extends TorcidaError {
  override readonly docs = "docs/product.md#sales-people";
}
