import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Duplex } from "node:stream";
import { STATUS_CODES } from "../../core/process/http.ts";
import type { ErrorCode } from "../../core/rules/api/error-codes.ts";
import { errorBody } from "./api-error.ts";

const STATUS_BY_CODE: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const MESSAGES: Record<number, string> = {
  408: "The request did not come in time",
  413: "The body is too large",
  431: "The headers are too large",
};

/** Malformed HTTP is answered before routing: in JSON, like every error, and the connection is closed. */
export function answerClientErrors(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS_BY_CODE[error.code ?? ""] ?? 400;
    answerSocket(socket, status, "BAD_REQUEST", MESSAGES[status] ?? "The request is not valid HTTP");
  });
}

/**
 * A target with a host, as for a proxy, counts by its path. One that is no address is answered here, in JSON: Express
 * would answer it with a page of its own. Returns whether the request may go on.
 */
export function readTarget(request: IncomingMessage): boolean {
  const { url = "/" } = request;
  if (url.startsWith("/") || url === "*") return true;
  const address = URL.parse(url);
  if (address) request.url = address.pathname + address.search;
  else answerSocket(request.socket, 400, "BAD_REQUEST", "The request's target is not a valid address");
  return address !== null;
}

/** The API's error body over a connection that has no request, and the end of the connection. */
export function answerSocket(socket: Duplex, status: number, code: ErrorCode, message: string): void {
  const body = errorBody(code, message, randomUUID());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "connection: close",
      "content-type: application/json; charset=utf-8",
      "cache-control: no-store",
      `content-length: ${Buffer.byteLength(body)}`,
      ...(status === 503 ? ["retry-after: 1"] : []),
      "",
      body,
    ].join("\r\n"),
  );
}

/** Responds to every request with 503 while the process waits for its database. */
export const answerNotReady: RequestListener = (request, response) => {
  const message = "The server is starting and waits for its database; try again";
  const body = errorBody("DATABASE_UNAVAILABLE", message, randomUUID());
  response.writeHead(503, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "retry-after": "1",
  });
  response.end(request.method === "HEAD" ? undefined : body);
};
