import { hash } from "node:crypto";
import type { EventRow } from "../../core/purchases/events.ts";
import { eventFigures } from "../../core/rules/events.ts";
import { LANGUAGES, type Language } from "../../core/rules/languages.ts";
import { chzTextFromGwei, reaisText } from "../../core/rules/money.ts";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { SAO_PAULO } from "../../core/rules/sao-paulo-time.ts";
import { escapeHtml } from "../../core/rules/text.ts";
import { textsIn } from "../texts.ts";

export type Composed = { subject: string; text: string; html: string };
/** Where links lead: the site's origin. */
export type Links = { site: string; unsubscribeToken: string };

export function composeEvents(events: readonly EventRow[], language: Language, links: Links): Composed {
  const t = textsIn(language);
  const [first] = events;
  const subject =
    events.length === 1 && first
      ? `${t(`server.mail.${first.kind}`)}: ${first.store_name}`
      : t("server.mail.digest", { count: events.length });
  const options = { timeZone: SAO_PAULO, dateStyle: "long", timeStyle: "short" } as const;
  const time = new Intl.DateTimeFormat(LANGUAGES[language].locale, options);
  const items = events.map((event) => ({
    store: event.store_name,
    sentence: t(`events.${event.kind}`, figuresOf(event, language)),
    at: `${time.format(Number(event.created_at))} (São Paulo)`,
  }));
  const dashboard = `${links.site}/dashboard`;
  const end = `${links.site}/mail/unsubscribe?token=${links.unsubscribeToken}`;
  const choose = `${links.site}/profile`;
  const text = [
    ...items.map(({ store, sentence, at }) => `${store}\n${sentence}\n${at}`),
    `${t("server.mail.dashboard")}: ${dashboard}`,
    `--\n${t("server.mail.why")}\n${t("server.mail.end")}: ${end}\n${t("server.mail.choose")}: ${choose}`,
  ].join("\n\n");
  const body = items
    .map(
      ({ store, sentence, at }) =>
        `<div style="padding:16px 0;border-bottom:1px solid #d9d5c8"><strong>${escapeHtml(store)}</strong><br>${escapeHtml(sentence)}<br><span style="color:#5c665f;font-size:14px">${escapeHtml(at)}</span></div>`,
    )
    .join("");
  const footer = `${escapeHtml(t("server.mail.why"))}<br>${link(end, t("server.mail.end"))} · ${link(choose, t("server.mail.choose"))}`;
  return { subject, text, html: page(language, body + button(dashboard, t("server.mail.dashboard")), footer) };
}

export function composeVerification(token: string, language: Language, site: string): Composed {
  const t = textsIn(language);
  const url = `${site}/mail/verify?token=${token}`;
  const body = `<p>${escapeHtml(t("server.mail.verify"))}</p>${button(url, t("server.mail.verifyButton"))}`;
  return {
    subject: t("server.mail.verifySubject"),
    text: [t("server.mail.verify"), url, t("server.mail.ignore")].join("\n\n"),
    html: page(language, body, escapeHtml(t("server.mail.ignore"))),
  };
}

/** The same for the same content, so that a receiver recognises a repeat. */
export function messageId(content: readonly string[], from: string): string {
  const host = /@([^>\s]+)/.exec(from)?.[1] ?? "localhost";
  return `<${hash("sha256", content.join("\n")).slice(0, 40)}@${host}>`;
}

/** The figures of an event as its reader reads them. docs/product.md#mail */
export function figuresOf(
  { amount_cents: cents, amount_gwei: gwei, reason }: Pick<EventRow, "amount_cents" | "amount_gwei" | "reason">,
  language: Language,
) {
  const money = (value: string, options: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(LANGUAGES[language].locale, options).format(Number(value));
  const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return eventFigures({
    value: money(reaisText(cents), { style: "currency", currency: "BRL" }),
    amount: gwei === null ? null : `${money(chzTextFromGwei(gwei), twoDecimals)} CHZ`,
    reason,
  });
}

/** Colours that are legible in light and dark mail readers; no pictures, nothing that reports the reading. */
function page(language: Language, body: string, footer: string): string {
  return `<!doctype html><html lang="${LANGUAGES[language].locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${PRODUCT_NAME}</title></head>
<body style="margin:0;padding:24px 12px;background:#f4f1e6;color:#14231c;font:16px/1.5 Arial,Helvetica,sans-serif">
<div style="max-width:560px;margin:0 auto;background:#fffdf6;border:1px solid #d9d5c8;border-radius:10px;overflow:hidden">
<div style="background:#0b5d3f;color:#ffffff;padding:14px 24px;font-size:20px;font-weight:bold">${PRODUCT_NAME}</div>
<div style="padding:8px 24px 24px">${body}</div>
<div style="padding:16px 24px;background:#ece8da;color:#4a554e;font-size:13px">${footer}</div>
</div></body></html>`;
}

function button(url: string, label: string): string {
  return `<p style="margin:24px 0 0"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#f2b632;color:#14231c;font-weight:bold;text-decoration:none">${escapeHtml(label)}</a></p>`;
}

function link(url: string, label: string): string {
  return `<a href="${escapeHtml(url)}" style="color:#0b5d3f">${escapeHtml(label)}</a>`;
}
