import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { errorBody } from "./api-error.ts";

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
