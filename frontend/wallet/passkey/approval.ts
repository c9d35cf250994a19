import { loadLaterTexts, inPageLanguage as t } from "../../i18n/language.tsx";
import { askConsent } from "../consent.ts";
import { INTERNAL, REJECTED, REQUEST_PENDING, UNAUTHORIZED } from "../errors.ts";
import { ProviderError } from "../provider-error.ts";
import { keptWallet, type PasskeyWallet } from "./kept.ts";
import { doWithPasskey, PasskeyError } from "./passkey.ts";
import type { Work } from "./work.ts";

/** The wallet that this browser knows. @throws ProviderError 4100 */
export function wallet(): PasskeyWallet {
  const kept = keptWallet();
  if (!kept) throw new ProviderError(UNAUTHORIZED, "No passkey wallet was opened in this browser.");
  return kept;
}

type Approved = {
  /** The wallet that it was asked of. */
  of: PasskeyWallet;
  title: "passkey.sign" | "passkey.signIn" | "passkey.signErase" | "passkey.signEmail" | "passkey.transaction";
  detail: string;
  work: Work;
};

/** One request at a time: a second one would stand behind the first, or be mistaken for it. */
let isOpen = false;

/** Shows what will be signed, asks for face or finger, and signs. */
export async function approved({ of: { address, credential_id }, title, detail, work }: Approved): Promise<string> {
  if (isOpen) throw new ProviderError(REQUEST_PENDING, "A request is open in the wallet.");
  isOpen = true;
  try {
    await loadLaterTexts();
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
    return (await doWithPasskey(work, { credential_id, address })).result;
  } catch (error) {
    if (error instanceof PasskeyError) throw new ProviderError(INTERNAL, error.message, { cause: error });
    throw error;
  } finally {
    isOpen = false;
  }
}
