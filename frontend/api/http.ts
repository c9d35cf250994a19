import type { FileProblem } from "../../core/rules/api/admin-catalogue.ts";
import type { BrokenRule, FieldRule, RuleParams } from "../../core/rules/field-rules.ts";
import { LANGUAGES, languageFrom } from "../../core/rules/languages.ts";
import { isRecord } from "../../core/rules/records.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";

/** HTTP/2 responses have no reason phrase; the message needs one. */
const REASONS: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

const TIMEOUT_MS = 30_000;

export type NamedStore = { id: number; name: string };

/** The server responded with an error. `status` is 200 if the body said `success: false`. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string | undefined;
  readonly field: string | undefined;
  readonly broken: BrokenRule | undefined;
  /** The limit that is reached, and its figure. */
  readonly limit: { name: string; max: number } | undefined;
  readonly problems: FileProblem[] | undefined;
  /** What a refused decision does not fit. */
  readonly why: string | undefined;
  /** Those to choose from, or that were meant. */
  readonly stores: readonly NamedStore[] | undefined;
  /** When the server takes the call, if it was one too many. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the message is the server's, or derived from the status. */
  readonly isServersWord: boolean;

  constructor(
    message: string,
    status: number,
    {
      code,
      field,
      broken,
      limit,
      problems,
      why,
      stores,
      retryAfterSeconds,
      isServersWord = false,
    }: Partial<Omit<ApiError, keyof Error | "status">> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.broken = broken;
    this.limit = limit;
    this.problems = problems;
    this.why = why;
    this.stores = stores;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isServersWord = isServersWord;
  }
}

/** The answer of a call has not the shape that its schema says. */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
  /** The call, without what was asked: `/api/admin/sales/:id`. */
  readonly call: string;
  /** The first field that is wrong, such as `rows.0.amount`. */
  readonly field: string;

  constructor(path: string, field: string) {
    const call = patternOf(path);
    super(`The answer of ${call} is malformed at ${field || "its root"}`);
    this.call = call;
    this.field = field;
  }
}

/** A path without the ids, wallets and searches in it. */
function patternOf(path: string): string {
  return (path.split("?")[0] ?? path).replaceAll(/\/(?:0x[0-9a-f]+|\d+)(?=\/|$)/gi, "/:id");
}

/** No response: no network, no server, or a time-out. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** docs/product.md#session-browser. Shown in the user's language by the session's toast. */
export const SESSION_EXPIRED = "Unauthorized: Session expired";

type Body = {
  success?: boolean;
  error?: unknown;
  message?: unknown;
  code?: unknown;
  field?: unknown;
  rule?: FieldRule;
  params?: RuleParams;
  limit?: string;
  problems?: FileProblem[];
  why?: unknown;
  like?: NamedStore[];
  stores?: NamedStore[];
};

let onUnauthorized: (token: string | null) => void = () => {};

/** Called with the token that got a 401. The session registers itself here. */
export function listenForUnauthorized(listener: (token: string | null) => void): void {
  onUnauthorized = listener;
}

let onBuild: (build: string) => void = () => {};

/** Called with the build of the web app that a server has, as its answers say it. */
export function listenForBuild(listener: (build: string) => void): void {
  onBuild = listener;
}

/**
 * One call of the API: JSON both ways, with the bearer token if there is one.
 * @throws ApiError with the response's error field, or 'API Error: {status} {statusText}'
 * @throws MalformedAnswer if what was accepted is no JSON object
 * @throws UnreachableError
 */
export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<T> {
  const answer = await exchange(method, path, {
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
  return accepted(path, answer);
}

/** A call whose response is a text, such as CSV. */
export async function callForText(path: string, accept: string): Promise<string> {
  const { response, text } = await exchange("GET", path, { headers: { accept } });
  if (!response.ok) throw refusal(response, parseJson<Body>(text));
  return text;
}

/** A call with a file as its body. */
export async function sendFile<T>(method: string, path: string, file: Blob, type: string): Promise<T> {
  const answer = await exchange(method, path, {
    headers: { "content-type": type, accept: "application/json" },
    body: file,
  });
  return accepted(path, answer);
}

type Exchange = { headers: Record<string, string>; body?: BodyInit | undefined; signal?: AbortSignal | undefined };

type Answer = { response: Response; text: string };

async function exchange(method: string, path: string, { headers, body, signal }: Exchange): Promise<Answer> {
  const token = readStored(STORAGE_KEYS.token);
  if (token) headers.authorization = `Bearer ${token}`;
  // Lists as files are in the panel's language, whatever the browser's is.
  if (path.startsWith("/api/admin/"))
    headers["accept-language"] = LANGUAGES[languageFrom(readStored(STORAGE_KEYS.panelLanguage))].locale;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body ?? null,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new UnreachableError(messageOf(error));
  }
  const build = response.headers.get("x-torcida-build");
  if (build) onBuild(build);
  if (response.status === 401) {
    onUnauthorized(token);
    throw new ApiError(SESSION_EXPIRED, 401, { code: "UNAUTHORIZED" });
  }
  return { response, text };
}

/** The body of a response that is no refusal. */
function accepted<T>(path: string, { response, text }: Answer): T {
  const json = parseJson<T & Body>(text);
  if (!response.ok || json?.success === false) throw refusal(response, json);
  if (json === undefined) throw new MalformedAnswer(path, "");
  return json;
}

function refusal(response: Response, json: Body | undefined): ApiError {
  const said = textOf(json?.error) ?? (response.ok ? textOf(json?.message) : undefined);
  return new ApiError(said ?? statusMessage(response), response.status, {
    code: textOf(json?.code),
    field: textOf(json?.field),
    broken: json?.rule && { rule: json.rule, params: json.params },
    limit: json?.limit ? { name: json.limit, max: Number(json.params?.max) } : undefined,
    problems: json?.problems,
    why: textOf(json?.why),
    stores: json?.stores ?? json?.like,
    retryAfterSeconds: response.status === 429 ? Number(response.headers.get("retry-after")) || 1 : undefined,
    isServersWord: said !== undefined,
  });
}

/**
 * A JSON object of the server; undefined if the text is none. Its type is what the caller expects: the api's tests hold
 * every response to its schema in `core/rules/api/`, and to check it here again would load Zod with the first page.
 */
export function parseJson<T>(text: string): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

function statusMessage(response: Response): string {
  const reason = response.statusText || REASONS[response.status] || "";
  return `API Error: ${response.status} ${reason}`.trim();
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
