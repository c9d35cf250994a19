import type { DemoWallet } from "./demo-wallets.ts";

const WORDS = {
  pt: {
    connect: "A Torcida quer se conectar à sua carteira",
    sign: "A Torcida pede a sua assinatura",
    yes: "Aprovar",
    no: "Recusar",
    note: "Só existe na rede local, sem valor real.",
  },
  en: {
    connect: "Torcida wants to connect to your wallet",
    sign: "Torcida asks for your signature",
    yes: "Approve",
    no: "Reject",
    note: "It exists on the local network only, and holds nothing of value.",
  },
};

/**
 * The wallet's dialog with the request, and the user's decision. Plain DOM, because a wallet is not part of the app.
 */
export function askConsent(wallet: DemoWallet, kind: "connect" | "sign", detail: string): Promise<boolean> {
  const language = document.documentElement.lang.startsWith("en") ? "en" : "pt";
  const words = WORDS[language];
  const dialog = document.createElement("dialog");
  dialog.className = "dialog demo-wallet";
  dialog.setAttribute("aria-labelledby", "demo-wallet-title");
  const title = element("h2", words[kind]);
  title.id = "demo-wallet-title";
  const body = element("pre", detail);
  body.tabIndex = 0;
  const note = element("p", `${wallet.name[language]}. ${words.note}`);
  const no = button(words.no, "button button-quiet");
  const yes = button(words.yes, "button");
  const actions = element("div", "");
  actions.className = "dialog-actions";
  actions.append(no, yes);
  dialog.append(title, body, note, actions);
  // The browser's own modal lets Tab leave to the browser's bars.
  dialog.addEventListener("keydown", (event) => {
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
