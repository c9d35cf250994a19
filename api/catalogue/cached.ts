import type { Prepared } from "../http/prepared.ts";
import type { TextReply } from "../http/route.ts";

const JSON_TYPE = "application/json; charset=utf-8";
export const PUBLIC_HEADERS = { "cache-control": "public, no-cache", vary: "Authorization, Origin" };
export const IF_NONE_MATCH = { "if-none-match": { description: "The `ETag` of the caller's cached response" } };

/** What everybody gets, from memory. */
export function cached(text: Prepared): TextReply {
  return { text, type: JSON_TYPE, etag: text.etag, headers: PUBLIC_HEADERS };
}
