import { TorcidaError } from "../../domain/torcida-error.ts";

/** The system cannot start on this machine or in this folder. */
export class StartError extends TorcidaError {
  override readonly name = "StartError";
  override readonly docs = "docs/product.md#local-start";
}
