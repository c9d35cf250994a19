import { useEffect, useState } from "react";
import { paths } from "../app/paths.ts";
import { endFirstSteps, readStored, STORAGE_KEYS } from "../app/storage.ts";
import { useClub } from "../club/club.ts";
import { useText } from "../i18n/language.tsx";
import { useSession } from "../session/session.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { useWallet } from "../wallet/use-wallet.ts";
import style from "./first-steps.module.css";

const STEPS = [
  ["club", `${paths.home}#club-question`],
  ["wallet", paths.auth()],
  ["registration", paths.auth()],
  ["store", paths.stores],
] as const;

/** What a newcomer does next, from the club to the first store; nothing before the first step. docs/product.md#home */
export function FirstSteps() {
  const t = useText();
  const club = useClub();
  const wallet = useWallet();
  const { status, profile } = useSession();
  const [isRefused, setRefused] = useState(() => readStored(STORAGE_KEYS.firstSteps) !== null);
  const hasBought = profile !== undefined && profile.purchases.length + profile.nfts.length > 0;
  useEffect(() => {
    if (hasBought) endFirstSteps();
  }, [hasBought]);
  const isIn = status !== "anonymous";
  const done = {
    club: club !== undefined,
    wallet: isIn || wallet.address !== undefined,
    registration: isIn,
    store: hasBought,
  };
  if (isRefused || hasBought || status === "restoring" || !(done.club || done.wallet)) return null;
  const next = STEPS.find(([step]) => !done[step]);
  const refuse = () => {
    endFirstSteps();
    setRefused(true);
  };
  return (
    <section className={`page ${style.steps}`} aria-labelledby="first-steps">
      <div className="section-head">
        <h2 id="first-steps" className="subtitle">
          {t("firstSteps.title")}
        </h2>
        <button type="button" className="link" onClick={refuse}>
          {t("firstSteps.refuse")}
        </button>
      </div>
      <ol>
        {STEPS.map(([step, to]) => (
          <li key={step} data-done={done[step]}>
            {step === next?.[0] ? (
              <LinkButton className="button button-small" to={to}>
                {t(`firstSteps.${step}`)}
              </LinkButton>
            ) : (
              <span>
                {t(`firstSteps.${step}`)}
                <span className="sr-only"> {t(done[step] ? "timeline.done" : "timeline.ahead")}</span>
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
