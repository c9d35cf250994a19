import { createHash } from "node:crypto";
import { sayEvent } from "../../domain/event-words.ts";
import type { EventKind } from "../../domain/events.ts";
import { type Language, LOCALES } from "../../domain/languages.ts";
import { chzTextFromGwei, reaisText } from "../../domain/money.ts";
import { PRODUCT_NAME } from "../../domain/product.ts";
import { SAO_PAULO } from "../../domain/sao-paulo-time.ts";
import type { EventRow } from "../../purchases/events.ts";
import { escapeHtml } from "../http/escape-html.ts";

/** The texts of an e-mail. */
export type Composed = { subject: string; text: string; html: string };
/** Where links lead: the site's origin. */
export type Links = { site: string; unsubscribeToken: string };

const SUBJECTS: Record<EventKind, Record<Language, string>> = {
  tracked: { pt: "Compra registrada", en: "Purchase recorded" },
  confirmed: { pt: "Compra confirmada", en: "Purchase confirmed" },
  paid: { pt: "Você recebeu cashback", en: "You received cashback" },
  credit: { pt: "O seu cashback espera um saque", en: "Your cashback is waiting for you" },
  declined: { pt: "Compra cancelada", en: "Purchase cancelled" },
  debt: { pt: "Compra devolvida", en: "Purchase returned" },
  claim_accepted: { pt: "Achamos a sua compra", en: "We found your purchase" },
  claim_refused: { pt: "Resposta à sua reclamação", en: "About your claim" },
};

const WORDS = {
  pt: {
    digest: (count: number) => `${count} novidades sobre as suas compras`,
    dashboard: "Ver no meu painel",
    why: `Você recebe este e-mail porque pediu avisos da ${PRODUCT_NAME} sobre as suas compras.`,
    end: "Parar de receber",
    choose: "Escolher o que receber",
    verifySubject: `Confirme o seu e-mail na ${PRODUCT_NAME}`,
    verify: `Alguém, provavelmente você, pediu para receber avisos da ${PRODUCT_NAME} neste endereço. Para confirmar, abra o link abaixo nas próximas 24 horas.`,
    verifyButton: "Confirmar o meu e-mail",
    ignore: "Não foi você? Ignore esta mensagem: sem a confirmação, nada mais é enviado.",
  },
  en: {
    digest: (count: number) => `${count} updates on your purchases`,
    dashboard: "Open my dashboard",
    why: `You get this e-mail because you asked ${PRODUCT_NAME} to write to you about your purchases.`,
    end: "Unsubscribe",
    choose: "Choose what you get",
    verifySubject: `Confirm your e-mail address at ${PRODUCT_NAME}`,
    verify: `Somebody, probably you, asked ${PRODUCT_NAME} to write to this address. To confirm it, open the link below within 24 hours.`,
    verifyButton: "Confirm my e-mail address",
    ignore: "That was not you? Ignore this message: without the confirmation, nothing else is sent.",
  },
};

/** One event, or a digest of several. */
export function composeEvents(events: readonly EventRow[], language: Language, links: Links): Composed {
  const words = WORDS[language];
  const [first] = events;
  const subject =
    events.length === 1 && first
      ? `${SUBJECTS[first.kind][language]}: ${first.store_name}`
      : words.digest(events.length);
  const items = events.map((event) => ({
    store: event.store_name,
    sentence: sayEvent(event.kind, figuresOf(event, language), language),
    at: timeOf(event, language),
  }));
  const dashboard = `${links.site}/dashboard`;
  const end = unsubscribePage(links);
  const choose = `${links.site}/profile`;
  const text = [
    ...items.map(({ store, sentence, at }) => `${store}\n${sentence}\n${at}`),
    `${words.dashboard}: ${dashboard}`,
    `--\n${words.why}\n${words.end}: ${end}\n${words.choose}: ${choose}`,
  ].join("\n\n");
  const body = items
    .map(
      ({ store, sentence, at }) =>
        `<div style="padding:16px 0;border-bottom:1px solid #d9d5c8"><strong>${escapeHtml(store)}</strong><br>${escapeHtml(sentence)}<br><span style="color:#5c665f;font-size:14px">${escapeHtml(at)}</span></div>`,
    )
    .join("");
  const footer = `${escapeHtml(words.why)}<br>${link(end, words.end)} · ${link(choose, words.choose)}`;
  return { subject, text, html: page(language, body + button(dashboard, words.dashboard), footer) };
}

/** The e-mail with the link that verifies its address. */
export function composeVerification(token: string, language: Language, site: string): Composed {
  const words = WORDS[language];
  const url = `${site}/mail/verify?token=${token}`;
  const body = `<p>${escapeHtml(words.verify)}</p>${button(url, words.verifyButton)}`;
  return {
    subject: words.verifySubject,
    text: [words.verify, url, words.ignore].join("\n\n"),
    html: page(language, body, escapeHtml(words.ignore)),
  };
}

export function unsubscribePage({ site, unsubscribeToken }: Links): string {
  return `${site}/mail/unsubscribe?token=${unsubscribeToken}`;
}

/** The same for the same content, so that a receiver recognises a repeat. */
export function messageId(content: readonly string[], from: string): string {
  const host = /@([^>\s]+)/.exec(from)?.[1] ?? "localhost";
  return `<${createHash("sha256").update(content.join("\n")).digest("hex").slice(0, 40)}@${host}>`;
}

function figuresOf({ amount_cents: cents, amount_gwei: gwei, reason }: EventRow, language: Language) {
  const money = (value: string, options: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(LOCALES[language], options).format(Number(value));
  const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return {
    value: money(reaisText(cents), { style: "currency", currency: "BRL" }),
    amount: gwei === null ? null : `${money(chzTextFromGwei(gwei), twoDecimals)} CHZ`,
    reason,
  };
}

function timeOf({ created_at: at }: EventRow, language: Language): string {
  const options = { timeZone: SAO_PAULO, dateStyle: "long", timeStyle: "short" } as const;
  return new Intl.DateTimeFormat(LOCALES[language], options).format(Number(at));
}

/** Colours that are legible in light and dark mail readers; no pictures, nothing that reports the reading. */
function page(language: Language, body: string, footer: string): string {
  return `<!doctype html><html lang="${LOCALES[language]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${PRODUCT_NAME}</title></head>
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
