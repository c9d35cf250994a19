import { INTERNAL } from "../errors.ts";
import { ProviderError } from "../provider-error.ts";

/** Why nothing was sent, or nothing arrived, as the id of its text. */
export class NotSentError extends ProviderError {
  override readonly name = "NotSentError";
  readonly reason:
    | "passkey.send.tooMuch"
    | "passkey.send.nothing"
    | "passkey.send.reverted"
    | "passkey.send.feeTooHigh";
  constructor(reason: NotSentError["reason"]) {
    super(INTERNAL, reason);
    this.reason = reason;
  }
}
