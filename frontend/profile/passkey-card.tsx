import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import type { Profile } from "../api/shapes.ts";
import { paths } from "../app/paths.ts";
import { targetChain } from "../chain/target-chain.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Card } from "../ui/card.tsx";
import ledgerStyle from "../ui/ledger.module.css";
import { keptWallet, type PasskeyWallet } from "../wallet/passkey/kept.ts";
import { wordsState } from "../wallet/passkey/words-kept.ts";
import style from "./passkey-card.module.css";

const SendDialog = lazy(() => import("../wallet/passkey/send-dialog.tsx"));
const WordsDialog = lazy(() => import("../wallet/passkey/words-dialog.tsx"));

/** What the owner of a wallet behind a passkey can do with it. docs/product.md#wallet-passkey */
export default function PasskeyCard({ profile }: { profile: Profile }) {
  const kept = keptWallet();
  return kept?.address === profile.wallet ? <OwnWallet wallet={kept} profile={profile} /> : null;
}

const HISTORY_LENGTH = 5;
const STEPS = ["app", "words", "network", "address"] as const;

function OwnWallet({ wallet, profile }: { wallet: PasskeyWallet; profile: Profile }) {
  const t = useText();
  const { chz, date } = useFormat();
  const [open, setOpen] = useState<"words" | "send">();
  const close = () => setOpen(undefined);
  const isSaved = wordsState(wallet.address) === "saved";
  const history = profile.purchases
    .flatMap(({ token_id, store, paid_at, paid_amount }) =>
      token_id && paid_at && paid_amount ? [{ token_id, store, paid_at, paid_amount }] : [],
    )
    .sort((one, other) => other.paid_at.localeCompare(one.paid_at))
    .slice(0, HISTORY_LENGTH);
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
      </div>
      <h3 className="small-title">{t("passkey.history.title")}</h3>
      {history.length === 0 && <p className="muted">{t("passkey.history.none")}</p>}
      <dl className={ledgerStyle.ledger}>
        {history.map(({ token_id, store, paid_at, paid_amount }) => (
          <div key={token_id}>
            <dt>
              <Link className="link" to={paths.ticket(token_id)}>
                {store}
              </Link>{" "}
              <span className="muted">{date(paid_at)}</span>
            </dt>
            <dd className="figures">{chz(paid_amount)}</dd>
          </div>
        ))}
      </dl>
      <p>
        <Link className="link" to={paths.dashboard}>
          {t("passkey.history")}
        </Link>
      </p>
      <details>
        <summary>{t("passkey.move")}</summary>
        <ol className={style.steps}>
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
