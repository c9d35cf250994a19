import { z } from "zod";
import { polledAccountShape, type Session, wordSchema } from "../network.ts";
import { parseExactJson } from "../row.ts";

export const accountSchema = z.strictObject({
  ...polledAccountShape("awin", { apiUrl: "https://api.awin.com", callsPerMinute: 20 }),
  publisher_id: wordSchema,
  token: wordSchema,
});
export type AwinAccount = z.output<typeof accountSchema>;

/** What Awin answers to a publisher, below its own path. */
export async function askAwin({ account, call }: Session<AwinAccount>, path: string): Promise<unknown> {
  const text = await call({
    url: `${account.api_url}/publishers/${encodeURIComponent(account.publisher_id)}/${path}`,
    // Never in the URL, which is logged.
    headers: { authorization: `Bearer ${account.token}` },
  });
  return parseExactJson(text);
}
