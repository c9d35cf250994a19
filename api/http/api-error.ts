import type { ErrorCode } from "../../core/rules/api/error-codes.ts";
import type { BrokenRule } from "../../core/rules/field-rules.ts";
import { TorcidaError } from "../../core/rules/torcida-error.ts";

/** An error response: a sentence for people, a code for programs. docs/product.md#error-shape */
export class ApiError extends TorcidaError {
  override readonly docs = "docs/product.md#error-codes";
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;
  /** Additional fields of the body. */
  readonly extra: Record<string, unknown>;

  constructor(
    status: number,
    code: ErrorCode,
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

/** A field is named together with the rule that it breaks, if that is one of a schema. */
export const invalid = (message: string, field?: string, broken?: BrokenRule) =>
  new ApiError(400, "INVALID_REQUEST", message, field === undefined ? {} : { extra: { field, ...broken } });
export const unauthorized = () =>
  new ApiError(401, "UNAUTHORIZED", "Sign in first: the session is missing or has ended");
export const forbidden = (message: string, code: ErrorCode = "FORBIDDEN") => new ApiError(403, code, message);
export const notFound = (what: string) => new ApiError(404, "NOT_FOUND", `${what} not found`);
export const conflict = (message: string, code: ErrorCode, extra: Record<string, unknown> = {}) =>
  new ApiError(409, code, message, { extra });
export const unavailable = (code: ErrorCode, message: string) =>
  new ApiError(503, code, message, { headers: { "retry-after": "2" } });

/** The body of every error response. docs/product.md#error-shape */
export function errorBody(code: ErrorCode, message: string, requestId: string, extra: Record<string, unknown> = {}) {
  return JSON.stringify({ ...extra, success: false, error: message, message, code, request_id: requestId });
}
