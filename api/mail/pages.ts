import type { Language } from "../../domain/languages.ts";
import { PRODUCT_NAME } from "../../domain/product.ts";
import { escapeHtml } from "../http/escape-html.ts";

/** The pages behind the links of e-mails: they need neither a login nor a script. */

const LANG = { pt: "pt-BR", en: "en" } as const;

const WORDS = {
  verify: {
    pt: ["Confirmar o e-mail", "Quer receber avisos sobre as suas compras neste e-mail?", "Confirmar"],
    en: ["Confirm your e-mail address", "Do you want messages about your purchases at this address?", "Confirm"],
  },
  verified: {
    pt: ["E-mail confirmado", "Pronto: a partir de agora, os avisos chegam também por e-mail."],
    en: ["E-mail address confirmed", "Done: from now on you also get your notifications by e-mail."],
  },
  unsubscribe: {
    pt: ["Parar de receber e-mails", "Não quer mais receber e-mails sobre as suas compras?", "Parar de receber"],
    en: ["Unsubscribe", "Do you want no more e-mails about your purchases?", "Unsubscribe"],
  },
  unsubscribed: {
    pt: [
      "Você não recebe mais e-mails",
      "Os avisos continuam no sino do site. Mudou de ideia? Escolha de novo no perfil.",
    ],
    en: [
      "You get no more e-mails",
      "Your notifications stay in the bell of the site. Changed your mind? Choose again in your profile.",
    ],
  },
  over: {
    pt: ["Este link não vale mais", "Ele já foi usado ou passou do prazo. Você pode pedir outro no seu perfil."],
    en: [
      "This link is not valid any more",
      "It was used before, or it is too old. You can ask for another in your profile.",
    ],
  },
} as const;
export type MailPage = keyof typeof WORDS;

/** With a button where the page asks something; it sends the same address a POST. */
export function mailPage(page: MailPage, language: Language, site: string): string {
  const [title, text, action] = WORDS[page][language];
  const form = action ? `<form method="post"><button>${escapeHtml(action)}</button></form>` : "";
  const back = language === "pt" ? "Ir para o perfil" : "Go to your profile";
  return `<!doctype html><html lang="${LANG[language]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)} · ${PRODUCT_NAME}</title>
<style>:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-content:center;justify-items:center;padding:24px;font:18px/1.5 system-ui,sans-serif;background:light-dark(#f4f1e6,#07140f);color:light-dark(#14231c,#f4f1e6)}main{max-width:32rem}h1{font-size:1.75rem;line-height:1.2;margin:0 0 12px}button{min-height:48px;padding:0 24px;border:0;border-radius:8px;background:#f2b632;color:#14231c;font:bold 1rem system-ui,sans-serif;cursor:pointer}a{color:inherit}.shop{margin:0 0 24px;font-weight:bold}</style></head>
<body><main><p class="shop">${PRODUCT_NAME}</p><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${form}<p><a href="${escapeHtml(site)}/profile">${escapeHtml(back)}</a></p></main></body></html>`;
}
