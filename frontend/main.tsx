import "./design/app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { restoreLanguage } from "./i18n/language.tsx";

// Announced before the app looks for wallets; a build for a public chain has no such line, nor its module.
if (import.meta.env.VITE_NETWORK === "localhost") await import("./demo-wallet/announce.ts").catch(() => {});

const language = await restoreLanguage();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App language={language} />
    </StrictMode>,
  );
}
