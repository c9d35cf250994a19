/** What a wallet of the page answers instead of a result, by the codes of EIP-1193 and EIP-1474. */
export class ProviderError extends Error {
  readonly code: number;
  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
