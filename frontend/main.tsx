import "./design/app.css";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { featuredStoresQuery, meQuery, queryClient, storeQuery, storesQuery, ticketQuery } from "./api/queries.ts";
import { App } from "./app/app.tsx";
import { watchInstall } from "./app/install.ts";
import { paths, STORE_ID, TICKET_ID } from "./app/paths.ts";
import { watchBuild } from "./app/renewal.ts";
import { fetchScreen } from "./app/screens.tsx";
import { readStored, STORAGE_KEYS } from "./app/storage.ts";
import { tolerateTranslators } from "./app/translated.ts";
import { showClub } from "./club/club.ts";
import { restoreLanguage } from "./i18n/language.tsx";
import { searchOf } from "./stores/search.ts";
import { offerEarlierPasskey } from "./wallet/offer-passkeys.ts";

/** Not at the top level of the module: the first screen's code imports from the chunk that contains this one. */
async function start(): Promise<void> {
  // Requested now, in parallel with the code that shows it.
  const token = readStored(STORAGE_KEYS.token);
  if (location.pathname === paths.dashboard && token) queryClient.prefetchQuery(meQuery(token));
  if (location.pathname === paths.home) queryClient.prefetchQuery(featuredStoresQuery);
  if (location.pathname === paths.stores) {
    queryClient.prefetchInfiniteQuery(storesQuery(searchOf(new URLSearchParams(location.search))));
  }
  const [, kind, id = ""] = location.pathname.split("/");
  if (kind === "stores" && STORE_ID.test(id)) queryClient.prefetchQuery(storeQuery(id));
  if (kind === "ticket" && TICKET_ID.test(id)) queryClient.prefetchQuery(ticketQuery(id));
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
