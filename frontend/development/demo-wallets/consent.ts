import { inPageLanguage as t } from "../../i18n/language.tsx";
import type { DemoWallet } from "./demo-wallets.ts";

/**
 * The wallet's dialog with the request, and the user's decision. Plain DOM, because a wallet is not part of the app.
 */
export function askConsent(wallet: DemoWallet, kind: "connect" | "sign", detail: string): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog demo-wallet";
  dialog.setAttribute("aria-labelledby", "demo-wallet-title");
  const title = element("h2", t(`demo.${kind}`));
  title.id = "demo-wallet-title";
  const body = element("pre", detail);
  body.tabIndex = 0;
  const note = element("p", `${t(wallet.name)}. ${t("demo.note")}`);
  const no = button(t("demo.no"), "button button-quiet");
  const yes = button(t("demo.yes"), "button");
  const actions = element("div", "");
  actions.className = "dialog-actions";
  actions.append(no, yes);
  dialog.append(title, body, note, actions);
  dialog.addEventListener("keydown", (event) => {
    // Otherwise a dialog of the app takes it, and closes below this one.
    if (event.key === "Escape") event.stopPropagation();
    // The browser's own modal lets Tab leave to the browser's bars.
    const [from, to] = event.shiftKey ? [body, yes] : [yes, body];
    if (event.key !== "Tab" || document.activeElement !== from) return;
    event.preventDefault();
    to.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  yes.focus();
  return new Promise((resolve) => {
    const close = (isApproved: boolean) => {
      // Gives the focus back.
      dialog.close();
      dialog.remove();
      resolve(isApproved);
    };
    yes.addEventListener("click", () => close(true));
    no.addEventListener("click", () => close(false));
    dialog.addEventListener("cancel", () => close(false));
  });
}

function element(tag: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function button(text: string, className: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = text;
  return made;
}
