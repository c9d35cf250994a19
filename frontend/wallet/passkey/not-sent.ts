/** Why nothing was sent, or nothing arrived: the end of a text's id. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
  readonly reason: "tooMuch" | "nothing" | "reverted";
  constructor(reason: NotSentError["reason"]) {
    super(`Not sent: ${reason}`);
    this.reason = reason;
  }
}
