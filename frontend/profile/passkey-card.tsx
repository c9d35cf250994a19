import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import { paths } from "../app/paths.ts";
import { targetChain } from "../chain/target-chain.ts";
import { useText } from "../i18n/language.tsx";
import { Card } from "../ui/card.tsx";
import { keptWallet, type PasskeyWallet } from "../wallet/passkey/kept.ts";
import { wordsState } from "../wallet/passkey/words-kept.ts";

const SendDialog = lazy(() => import("../wallet/passkey/send-dialog.tsx"));
const WordsDialog = lazy(() => import("../wallet/passkey/words-dialog.tsx"));

/** What the owner of a wallet behind a passkey can do with it. docs/product.md#wallet-passkey */
export default function PasskeyCard({ wallet }: { wallet: string }) {
  const kept = keptWallet();
  return kept?.address === wallet ? <OwnWallet wallet={kept} /> : null;
}

const STEPS = ["app", "words", "network", "address"] as const;

function OwnWallet({ wallet }: { wallet: PasskeyWallet }) {
  const t = useText();
  const [open, setOpen] = useState<"words" | "send">();
  const close = () => setOpen(undefined);
  const isSaved = wordsState(wallet.address) === "saved";
  return (
    <Card title={t("help.passkey-wallet")}>
      <p className="muted">
        {t("passkey.plainly")}{" "}
        <Link className="link" to={paths.help("passkey-wallet")}>
          {t("passkey.more")}
        </Link>
      </p>
      <p>{t(isSaved ? "passkey.words.areSaved" : "passkey.words.areNotSaved")}</p>
      <div className="flex flex-wrap gap-3">
        <button type="button" className="button button-quiet" onClick={() => setOpen("words")}>
          {t("passkey.words.save")}
        </button>
        <button type="button" className="button button-quiet" onClick={() => setOpen("send")}>
          {t("passkey.send")}
        </button>
        <Link className="link" to={paths.dashboard}>
          {t("passkey.history")}
        </Link>
      </div>
      <details>
        <summary>{t("passkey.move")}</summary>
        <ol className="passkey-steps">
          {STEPS.map((step) => (
            <li key={step}>
              {t(`passkey.move.${step}`, {
                network: targetChain.name,
                id: String(targetChain.id),
                url: targetChain.rpcUrls.default.http[0],
                address: wallet.address,
              })}
            </li>
          ))}
        </ol>
      </details>
      <Suspense>
        {open === "words" && <WordsDialog wallet={wallet} onClose={close} />}
        {open === "send" && <SendDialog wallet={wallet} onClose={close} />}
      </Suspense>
    </Card>
  );
}
