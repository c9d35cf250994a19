import { LANGUAGES, type Language } from "../../domain/languages.ts";
import { PRODUCT_NAME } from "../../domain/product.ts";
import { escapeHtml } from "../http/escape-html.ts";
import { textsIn } from "../texts.ts";

/** The pages behind the links of e-mails: they need neither a login nor a script. */

/** Those that ask something have a button. */
const ASKING = ["verify", "unsubscribe"] as const;
export type MailPage = (typeof ASKING)[number] | "verified" | "unsubscribed" | "over";

/** With a button where the page asks something; it sends the same address a POST. */
export function mailPage(page: MailPage, language: Language, site: string): string {
  const t = textsIn(language);
  const title = t(`server.page.${page}`);
  const text = t(`server.page.${page}.text`);
  const asking = ASKING.find((one) => one === page);
  const form = asking
    ? `<form method="post"><button>${escapeHtml(t(`server.page.${asking}.action`))}</button></form>`
    : "";
  const back = t("server.page.back");
  return `<!doctype html><html lang="${LANGUAGES[language].locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)} · ${PRODUCT_NAME}</title>
<style>:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-content:center;justify-items:center;padding:24px;font:18px/1.5 system-ui,sans-serif;background:light-dark(#f4f1e6,#07140f);color:light-dark(#14231c,#f4f1e6)}main{max-width:32rem}h1{font-size:1.75rem;line-height:1.2;margin:0 0 12px}button{min-height:48px;padding:0 24px;border:0;border-radius:8px;background:#f2b632;color:#14231c;font:bold 1rem system-ui,sans-serif;cursor:pointer}a{color:inherit}.word{white-space:nowrap}.shop{margin:0 0 24px;font-weight:bold}</style></head>
<body><main><p class="shop">${PRODUCT_NAME}</p><h1>${unbroken(title)}</h1><p>${unbroken(text)}</p>${form}<p><a href="${escapeHtml(site)}/profile">${escapeHtml(back)}</a></p></main></body></html>`;
}

/** As HTML, whose words with a hyphen stay on one line. */
function unbroken(text: string): string {
  return escapeHtml(text).replace(/\p{L}+-\p{L}+/gu, '<span class="word">$&</span>');
}
