/** An error response: a sentence for people, a code for programs. docs/product.md#error-shape */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;
  /** Additional fields of the body. */
  readonly extra: Record<string, unknown>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { headers?: Record<string, string>; extra?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = more.headers ?? {};
    this.extra = more.extra ?? {};
  }
}

export const invalid = (message: string, field?: string) =>
  new ApiError(400, "INVALID_REQUEST", message, field === undefined ? {} : { extra: { field } });
export const unauthorized = () =>
  new ApiError(401, "UNAUTHORIZED", "Sign in first: the session is missing or has ended");
export const forbidden = (message: string, code = "FORBIDDEN") => new ApiError(403, code, message);
export const notFound = (what: string) => new ApiError(404, "NOT_FOUND", `${what} not found`);
export const conflict = (message: string, code = "CONFLICT", extra: Record<string, unknown> = {}) =>
  new ApiError(409, code, message, { extra });
export const unavailable = (code: string, message: string) =>
  new ApiError(503, code, message, { headers: { "retry-after": "2" } });
