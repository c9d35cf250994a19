import "./design/app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient, storesQuery } from "./api/queries.ts";
import { App } from "./app/app.tsx";
import { paths } from "./app/paths.ts";
import { fetchFirstScreen } from "./app/screens.tsx";
import { announceDemoWallet } from "./demo-wallet/announce.ts";
import { restoreLanguage } from "./i18n/language.tsx";

// Asked for now, in parallel with the code that shows it.
if (location.pathname === paths.home || location.pathname === paths.stores) queryClient.prefetchQuery(storesQuery);
const [language] = await Promise.all([restoreLanguage(), fetchFirstScreen(location.pathname)]);
// Announced before the app looks for wallets, and after wagmi has read its storage: earlier, it does not listen. A build
// for a public chain has no such line, nor what it calls.
if (import.meta.env.VITE_NETWORK === "localhost") announceDemoWallet();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App language={language} />
    </StrictMode>,
  );
}
