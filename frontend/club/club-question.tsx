import { lazy, Suspense } from "react";
import { useText } from "../i18n/language.tsx";
import { useClub } from "./club.ts";

const ClubPicker = lazy(() => import("./club-picker.tsx"));

/** Asked once, on the first visit. */
export function ClubQuestion() {
  const t = useText();
  const club = useClub();
  if (club !== undefined) return null;
  return (
    <section className="page club-question" aria-labelledby="club-question">
      <h2 id="club-question" className="section-title">
        {t("club.question")}
      </h2>
      <p className="muted">{t("club.why")}</p>
      <Suspense fallback={<div className="club-picker-space" />}>
        <ClubPicker />
      </Suspense>
    </section>
  );
}
