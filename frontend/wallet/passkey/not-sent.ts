/** Why nothing was sent, or nothing arrived, as the id of its text. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
  readonly reason: "passkey.send.tooMuch" | "passkey.send.nothing" | "passkey.send.reverted";
  constructor(reason: NotSentError["reason"]) {
    super(reason);
    this.reason = reason;
  }
}
