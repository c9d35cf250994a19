import type { Request, Response } from "express";

/** What our pages never ask a browser for, so that nothing in them can. */
export const PERMISSIONS_POLICY =
  "accelerometer=(), bluetooth=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), " +
  "hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()";

/** Headers of data responses: no rendering as a page, and no content sniffing. */
export const API_HEADERS: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["permissions-policy", PERMISSIONS_POLICY],
  ["cross-origin-resource-policy", "same-origin"],
  ["strict-transport-security", "max-age=31536000; includeSubDomains"],
];

const ALLOWED_METHODS = "GET, POST, PUT, DELETE";
const ALLOWED_HEADERS = "authorization, content-type, idempotency-key";

/** Allows exactly the listed origins. Returns true if the request was a preflight, which it has answered. */
export function applyCors(origins: readonly string[], request: Request, response: Response): boolean {
  const { origin } = request.headers;
  const isAllowed = origin !== undefined && origins.includes(origin);
  if (origins.length > 0) response.setHeader("vary", "Origin");
  if (isAllowed) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-expose-headers", "x-request-id, retry-after");
  }
  if (request.method !== "OPTIONS") return false;
  if (isAllowed) {
    response.setHeader("access-control-allow-methods", ALLOWED_METHODS);
    response.setHeader("access-control-allow-headers", ALLOWED_HEADERS);
    response.setHeader("access-control-max-age", "600");
  }
  response.statusCode = 204;
  response.end();
  return true;
}
