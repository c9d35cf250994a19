import { useEffect, useState } from "react";
import { useText } from "../i18n/language.tsx";
import { readStored, STORAGE_KEYS, store } from "./storage.ts";

const SCRIPT = import.meta.env.VITE_ANALYTICS_URL;

/** Asks once if web analytics is configured, and loads the script only after consent. */
export function Analytics() {
  const t = useText();
  const [consent, setConsent] = useState(() => readStored(STORAGE_KEYS.consent));
  useEffect(() => {
    if (!SCRIPT || consent !== "yes" || document.querySelector("script[data-analytics]")) return;
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.async = true;
    script.dataset.analytics = "";
    document.head.append(script);
  }, [consent]);
  if (!SCRIPT || consent) return null;
  const answer = (value: "yes" | "no") => {
    store(STORAGE_KEYS.consent, value);
    setConsent(value);
  };
  return (
    <section className="consent" aria-label={t("consent.title")}>
      <p>{t("consent.text")}</p>
      <button type="button" className="button button-small button-quiet" onClick={() => answer("no")}>
        {t("consent.no")}
      </button>
      <button type="button" className="button button-small" onClick={() => answer("yes")}>
        {t("consent.yes")}
      </button>
    </section>
  );
}
