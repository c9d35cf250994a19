import { z } from "zod";
import { polledAccountShape, type Session, wordSchema } from "../network.ts";

export const accountSchema = z.strictObject({
  ...polledAccountShape("impact", { apiUrl: "https://api.impact.com", callsPerMinute: 15 }),
  account_sid: wordSchema,
  token: wordSchema,
});
export type ImpactAccount = z.output<typeof accountSchema>;

export function getFromImpact({ account, call }: Session<ImpactAccount>, path: string): Promise<string> {
  const credentials = Buffer.from(`${account.account_sid}:${account.token}`).toString("base64");
  // The next page must be a path on the same host; any other URL would leak the token.
  const url = new URL(path, `${account.api_url}/`);
  if (url.origin !== new URL(account.api_url).origin) throw new Error("The next page is on another host");
  return call({ url: url.toString(), headers: { authorization: `Basic ${credentials}` } });
}
