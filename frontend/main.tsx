import "./design/app.css";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { watchInstall } from "./app/install.ts";
import { watchBuild } from "./app/renewal.ts";
import { askAhead, fetchScreen } from "./app/screens.tsx";
import { tolerateTranslators } from "./app/translated.ts";
import { showClub } from "./club/club.ts";
import { restoreLanguage } from "./i18n/language.tsx";
import { offerEarlierPasskey } from "./wallet/offer-passkeys.ts";

/** Not at the top level of the module: the first screen's code imports from the chunk that contains this one. */
async function start(): Promise<void> {
  askAhead(location);
  const [language] = await Promise.all([restoreLanguage(), fetchScreen(location.pathname), offerEarlierPasskey()]);
  showClub();
  const root = document.getElementById("root");
  if (!root) return;
  // In a transition, which renders in slices: on a slow phone the page stays responsive.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App language={language} />
      </StrictMode>,
    ),
  );
}

// After everything that the first page needs. Only the built app: `npm run dev` reloads by itself.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  const register = () => navigator.serviceWorker.register("/offline-worker.js").catch(() => {});
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
}

tolerateTranslators();
watchInstall();
watchBuild();
start();
