import { lazy, Suspense, useState } from "react";
import { nftFacts } from "../api/nft-facts.ts";
import type { Profile } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { keptWallet } from "../wallet/passkey/kept.ts";
import { dueOffer, keepWordsState, wordsState } from "../wallet/passkey/words-kept.ts";

const WordsDialog = lazy(() => import("../wallet/passkey/words-dialog.tsx"));

/** Offers to save the words of a wallet behind a passkey, twice at most. docs/product.md#wallet-passkey */
export default function WordsOffer({ profile }: { profile: Profile }) {
  const t = useText();
  const wallet = keptWallet();
  const [isOver, setOver] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const confirmed = profile.nfts.map(nftFacts).filter(({ status }) => status === "confirmed");
  const cashbackCents = confirmed.reduce(
    (sum, { valueCents = 0n, cashbackBps = 0n }) => sum + (valueCents * cashbackBps) / 10_000n,
    0n,
  );
  const due = dueOffer(wordsState(profile.wallet), { confirmed: confirmed.length, cashbackCents });
  if (wallet?.address !== profile.wallet || !due || isOver) return null;
  const end = () => {
    if (wordsState(profile.wallet) !== "saved") keepWordsState(profile.wallet, due);
    setOver(true);
  };
  return (
    <section className="notice" aria-label={t("passkey.words")}>
      <p>{t(`passkey.words.offer.${due}`)}</p>
      <button type="button" className="button button-small" onClick={() => setOpen(true)}>
        {t("passkey.words.save")}
      </button>
      <button type="button" className="button button-small button-quiet" onClick={end}>
        {t("passkey.words.later")}
      </button>
      {isOpen && (
        <Suspense>
          <WordsDialog
            wallet={wallet}
            onClose={() => {
              setOpen(false);
              if (wordsState(profile.wallet) === "saved") setOver(true);
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
