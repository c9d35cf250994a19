import { type ReactNode, useState } from "react";
import { PageHeading } from "../app/page.tsx";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";
import { useSession } from "../session/session.tsx";
import { keptWallet } from "../wallet/passkey/kept.ts";

/** Before the panel opens for a wallet behind a passkey: why a hardware wallet is better. Once, here: a server cannot tell them apart. */
export default function PasskeyNotice({ children }: { children: ReactNode }) {
  const t = useText();
  const { profile } = useSession();
  const [isTold, setTold] = useState(() => readStored(STORAGE_KEYS.passkeyAdmin) !== null);
  const own = keptWallet();
  if (isTold || own === undefined || own.address !== profile?.wallet) return children;
  return (
    <div className="page state-panel">
      <PageHeading>{t("help.passkey-wallet")}</PageHeading>
      <p>{t("passkey.admin")}</p>
      <button
        type="button"
        className="button"
        onClick={() => {
          store(STORAGE_KEYS.passkeyAdmin, "told");
          setTold(true);
        }}
      >
        {t("passkey.admin.understood")}
      </button>
    </div>
  );
}
