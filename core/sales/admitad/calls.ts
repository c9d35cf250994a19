import { z } from "zod";
import { CallRefusedError } from "../http-calls.ts";
import { polledAccountShape, type Session, wordSchema } from "../network.ts";
import { parseExactJson } from "../row.ts";

export const accountSchema = z.strictObject({
  ...polledAccountShape("admitad", { apiUrl: "https://api.admitad.com", callsPerMinute: 120 }),
  website_id: wordSchema,
  client_id: wordSchema,
  client_secret: wordSchema,
  timezone: z.string().refine(isZone, "must be a time zone such as UTC or Europe/Moscow").default("UTC"),
});
export type AdmitadAccount = z.output<typeof accountSchema>;

const answerSchema = z.object({
  results: z.array(z.unknown()),
  _meta: z.object({ count: z.coerce.number().int().min(0) }),
});

/** A page of rows; each scope has a token of its own, since a client that lacks one still reads the others. */
export async function askAdmitad(
  session: Session<AdmitadAccount>,
  path: string,
  query: Record<string, string>,
  scope = "statistics",
) {
  const send = async () =>
    session.call({
      url: `${session.account.api_url}${path}?${new URLSearchParams(query)}`,
      headers: { authorization: `Bearer ${await accessToken(session, scope)}` },
    });
  let text: string;
  try {
    text = await send();
  } catch (error) {
    if (!(error instanceof CallRefusedError) || error.status !== 401) throw error;
    // The token expired early.
    session.memory.delete(`${TOKEN} ${scope}`);
    text = await send();
  }
  return answerSchema.parse(parseExactJson(text));
}

const TOKEN = "access token";
const TOKEN_END = "access token's end";
const TOKEN_MARGIN_MS = 60_000;
const tokenSchema = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().positive().optional() });

async function accessToken({ account, memory, call }: Session<AdmitadAccount>, scope: string): Promise<string> {
  const known = memory.get(`${TOKEN} ${scope}`);
  if (known !== undefined && Number(memory.get(`${TOKEN_END} ${scope}`)) > Date.now()) return known;
  const credentials = Buffer.from(`${account.client_id}:${account.client_secret}`).toString("base64");
  const text = await call({
    method: "POST",
    url: `${account.api_url}/token/`,
    headers: { authorization: `Basic ${credentials}`, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: account.client_id,
      scope,
    }).toString(),
  });
  const { access_token, expires_in = 3_600 } = tokenSchema.parse(parseExactJson(text));
  memory.set(`${TOKEN} ${scope}`, access_token);
  memory.set(
    `${TOKEN_END} ${scope}`,
    String(Date.now() + Math.max(expires_in * 1_000 - TOKEN_MARGIN_MS, expires_in * 500)),
  );
  return access_token;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
