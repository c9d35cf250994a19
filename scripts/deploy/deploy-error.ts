import { TorcidaError } from "../../core/rules/torcida-error.ts";

/** A deployment, or a check of one, cannot go on; what was recorded stays. */
export class DeployError extends TorcidaError {
  override readonly docs = "docs/admin.md#deploying";
}
