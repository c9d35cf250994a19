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
