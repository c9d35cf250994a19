import { parseJson } from "../../api/http.ts";
import { deployment } from "../../app/deployment.ts";
import { loadPasskeyTexts, inPageLanguage as t } from "../../i18n/language.tsx";
import { askConsent } from "../consent.ts";
import { REJECTED, REQUEST_PENDING } from "../errors.ts";
import { ProviderError } from "../provider-error.ts";
import { keptWallet, type PasskeyWallet } from "./kept.ts";
import { doWithPasskey, PasskeyError } from "./passkey.ts";
import type { Work } from "./work.ts";

export type Request = { method: string; params?: unknown };
type NodeAnswer = { result?: unknown; error?: { code: number; message: string } };

export const INVALID = -32602;
const INTERNAL = -32603;
export const UNAUTHORIZED = 4100;

/** The wallet that this browser knows. @throws ProviderError 4100 */
export function wallet(): PasskeyWallet {
  const kept = keptWallet();
  if (!kept) throw new ProviderError(UNAUTHORIZED, "No passkey wallet was opened in this browser.");
  return kept;
}

type Approved = { title: "passkey.sign" | "passkey.signIn" | "passkey.transaction"; detail: string; work: Work };

/** One request at a time: a second one would stand behind the first, or be mistaken for it. */
let isOpen = false;

/** Shows what will be signed, asks for face or finger, and signs. */
export async function approved({ title, detail, work }: Approved): Promise<string> {
  if (isOpen) throw new ProviderError(REQUEST_PENDING, "A request is open in the wallet.");
  isOpen = true;
  try {
    const { address, credential_id } = wallet();
    await loadPasskeyTexts();
    const { host } = location;
    const isApproved = await askConsent({
      title: t(title, { host }),
      detail,
      notes: [t(work.kind === "transaction" ? "passkey.transaction.note" : "passkey.sign.note", { host })],
      no: t("passkey.sign.no"),
      yes: t(work.kind === "transaction" ? "passkey.transaction.yes" : "passkey.sign.yes"),
    });
    if (!isApproved) throw new ProviderError(REJECTED, "The user refused.");
    // Another tab may have opened another wallet meanwhile.
    if (wallet().address !== address) throw new ProviderError(UNAUTHORIZED, "The wallet changed meanwhile.");
    return (await doWithPasskey(work, credential_id)).result;
  } catch (error) {
    if (error instanceof PasskeyError) throw new ProviderError(INTERNAL, error.message, { cause: error });
    throw error;
  } finally {
    isOpen = false;
  }
}

/** Asks the node. @throws ProviderError with its code */
export async function forward({ method, params = [] }: Request): Promise<unknown> {
  const response = await fetch(deployment.rpc_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const node = parseJson<NodeAnswer>(await response.text());
  if (!node) throw new ProviderError(INTERNAL, "The node did not respond with JSON.");
  if (node.error) throw new ProviderError(node.error.code, node.error.message);
  return node.result;
}
