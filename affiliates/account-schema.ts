import { z } from "zod";

const NAME = z.string().regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 lower-case letters, digits and hyphens");

export const secretSchema = z.string().min(8, "must have at least 8 characters");

/** The fields that every polled network's accounts have; the defaults are the network's. */
export function polledAccountShape<Name extends string>(
  network: Name,
  defaults: { apiUrl: string; callsPerMinute: number },
) {
  return {
    network: z.literal(network),
    account: NAME,
    push_secrets: z.array(secretSchema).default([]),
    api_url: z
      .url({ protocol: /^https?$/, error: "must be an http(s):// address" })
      .transform((url) => url.replace(/\/+$/, ""))
      .default(defaults.apiUrl),
    poll_seconds: z.number().positive().max(86_400).default(600),
    calls_per_minute: z.number().int().positive().default(defaults.callsPerMinute),
  };
}

export const directAccountSchema = z.strictObject({
  network: z.literal("direct"),
  account: NAME,
  secrets: z.array(secretSchema).min(1, "must hold at least one secret"),
});

export const wordSchema = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().min(1, "must not be empty").max(512, "must be at most 512 characters"));
