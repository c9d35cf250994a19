import type { Request } from "express";
import { writeSetting } from "../../core/database/settings.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { erasedFileOf } from "../../core/process/environment.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import { chooseMailRequestSchema, mailChoiceSchema, mailLinkQuerySchema } from "../../core/rules/api/mail.ts";
import type { MailTopic } from "../../core/rules/events.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { LANGUAGES, type Language, languageFrom } from "../../core/rules/languages.ts";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { escapeHtml } from "../../core/rules/text.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { ApiError, conflict } from "../http/api-error.ts";
import { type Route, route, type TextReply, visitorOf } from "../http/route.ts";
import { listUnsubscribed } from "../people/erased-list.ts";
import { findUser } from "../people/users.ts";
import type { Services } from "../services.ts";
import { acceptedLanguage, textsIn } from "../texts.ts";
import { countedBy, dropWaiting, insertMail, isLinkRefused } from "./queue.ts";
import {
  chooseTopics,
  findByUnsubscribeToken,
  findReader,
  findVerification,
  linkSentAt,
  newVerification,
  type Reader,
  topicsOf,
  unsubscribe,
  verify,
} from "./subscriptions.ts";
import { composeVerification, messageId } from "./templates.ts";
import type { Post } from "./transport.ts";
import { unsubscribeKeys } from "./unsubscribe-tokens.ts";

const HTML = "text/html; charset=utf-8";
/** Its own styles, and a form that leads to itself. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
};

/** E-mails: what a user wants, and the links in them. docs/product.md#mail */
export function mailRoutes(services: Services): Route[] {
  const { kysely } = services.database;
  const { post, environment } = services;
  const findByLink = async (queries: Queries, token: string) =>
    findByUnsubscribeToken(queries, token, await unsubscribeKeys(queries, environment));
  return [
    route.get("/api/me/mail", {
      access: "user",
      cost: { thread: 0.4, node: 0, stored: 0, mail: 0 },
      summary: "What the signed-in user gets e-mails about",
      responses: { 200: mailChoiceSchema },
      async handle({ identity }) {
        const { wallet, email } = visitorOf(identity);
        return { body: toWire(await findReader(kysely, wallet), email, post) };
      },
    }),
    route.put("/api/me/mail", {
      access: "proven_user",
      cost: { thread: 1, node: 0, stored: 200, mail: 0 },
      summary: "Sets what the user gets e-mails about; none are sent before the address is verified",
      body: chooseMailRequestSchema,
      responses: { 200: mailChoiceSchema },
      async handle({ identity, body }) {
        const { wallet, email } = visitorOf(identity);
        const reader = await inTransaction(kysely, async (queries) => {
          await wantMail(queries, services, { wallet, ...body });
          return findReader(queries, wallet);
        });
        return { body: toWire(reader, email, post) };
      },
    }),
    route.post("/api/me/mail/send", {
      access: "proven_user",
      summary: "Sends the link that verifies the user's address, because the user asks for it now",
      cost: { thread: 2, node: 0, stored: 3000, mail: 1 },
      failures: { 409: "No e-mails are wanted" },
      responses: { 200: doneSchema },
      async handle({ identity, origin }) {
        const { wallet } = visitorOf(identity);
        const isSent = await inTransaction(kysely, (queries) => sendLink(queries, services, wallet, origin));
        return { body: { success: true, message: isSent ? "Link sent" : "The address is verified already" } };
      },
    }),
    ...linkRoutes(services, "verify", findVerification, async (queries, reader) =>
      (await verify(queries, reader)) ? "verified" : "over",
    ),
    ...linkRoutes(services, "unsubscribe", findByLink, async (queries, reader) => {
      listUnsubscribed(erasedFileOf(environment), environment, reader);
      await unsubscribe(queries, reader.wallet);
      return "unsubscribed";
    }),
    ...(post?.kept ? devRoutes(post.kept) : []),
  ];
}

/** Sets what a user gets e-mails about; nothing without a post. */
export async function wantMail(
  queries: Queries,
  { post, environment }: Pick<Services, "post" | "environment">,
  wish: { wallet: WalletAddress; topics: readonly MailTopic[]; language: Language },
): Promise<void> {
  if (!post) return;
  const before = wish.topics.length === 0 ? await findReader(queries, wish.wallet) : undefined;
  if (before) listUnsubscribed(erasedFileOf(environment), environment, before);
  await chooseTopics(queries, wish.wallet, wish);
}

/** Another one would make it void before it is opened: who ticks one topic after the other gets one link. */
const FRESH_MS = 600_000n;

/**
 * Writes the e-mail that verifies a user's address; one of the last ten minutes stands, so that two presses of the button
 * are one. Returns false if the address is verified. docs/product.md#mail
 * @throws ApiError 409 if no e-mails are wanted, 429 if the inbox, its domain or the caller's address had enough
 */
async function sendLink(
  queries: Queries,
  { post, environment }: Services,
  wallet: WalletAddress,
  origin: string,
): Promise<boolean> {
  const [user, reader] = [await findUser(queries, wallet), await findReader(queries, wallet)];
  if (!post || !user || !reader || reader.mail_topics === "")
    throw conflict("Choose first what you want e-mails about", "MAIL_UNWANTED");
  const { email: address } = user;
  if (reader.mail_address === address) return false;
  const sentAt = linkSentAt(reader, address);
  if (sentAt !== null && sentAt + FRESH_MS > BigInt(Date.now())) return true;
  // Whoever counts holds this row until its link is written.
  await writeSetting(queries, "links_counted", "");
  const counted = countedBy({ origin, address }, environment);
  if (await isLinkRefused(queries, { wallet, origin, address }, counted)) {
    throw new ApiError(429, "TOO_MANY_REQUESTS", "Too many links were asked for today: try again tomorrow", {
      headers: { "retry-after": "3600" },
    });
  }
  await dropWaiting(queries, wallet, "verify");
  const token = await newVerification(queries, wallet, address);
  await insertMail(queries, {
    wallet,
    kind: "verify",
    address,
    unsubscribe_token: null,
    message_id: messageId(["verify", token], post.from),
    ...composeVerification(token, languageFrom(reader.language), post.site),
    ...counted,
  });
  return true;
}

function toWire(reader: Reader | undefined, email: string, post: Post | undefined) {
  return {
    success: true as const,
    is_available: post !== undefined,
    is_verified: reader?.mail_address != null,
    topics: topicsOf(reader),
    language: languageFrom(reader?.language),
    link_sent_at: isoTime(reader ? linkSentAt(reader, email) : null),
  };
}

/** A page that asks, and what its button does: mail scanners open links, but send no forms. RFC 8058 */
function linkRoutes(
  { database: { kysely }, environment, post }: Services,
  name: "verify" | "unsubscribe",
  find: (queries: Queries, token: string) => Promise<Reader | undefined>,
  act: (queries: Queries, reader: Reader) => Promise<MailPage>,
): Route[] {
  const site = post?.site ?? environment.PUBLIC_URL ?? "";
  const path = `/mail/${name}` as const;
  const cost = { thread: 1, node: 0, stored: 0, mail: 0 };
  const common = { access: "anyone", cost, query: mailLinkQuerySchema } as const;
  const responses = { 200: { type: "text/html" } };
  const answer = (page: MailPage, reader: Reader | undefined, request: Request): TextReply => {
    const language = reader ? languageFrom(reader.language) : acceptedLanguage(request);
    return { text: mailPage(page, language, site), type: HTML, headers: PAGE_HEADERS };
  };
  return [
    route.get(path, {
      ...common,
      summary: `The page that a link to ${name} opens`,
      responses,
      async handle({ query, request }) {
        const reader = await find(kysely, query.token);
        return answer(reader ? name : "over", reader, request);
      },
    }),
    route.post(path, {
      ...common,
      summary: name === "verify" ? "Verifies an address, once" : "Ends all e-mails to a user, also by one click",
      bodyTypes: ["application/x-www-form-urlencoded"],
      responses,
      async handle({ query, request }) {
        const reader = await find(kysely, query.token);
        const page = reader ? await inTransaction(kysely, (queries) => act(queries, reader)) : "over";
        return answer(page, reader, request);
      },
    }),
  ];
}

function devRoutes(kept: NonNullable<Post["kept"]>): Route[] {
  return [
    route.get("/dev/mail", {
      access: "anyone",
      cost: { thread: 2, node: 0, stored: 0, mail: 0 },
      summary: "The last e-mails of the local chain, which sends none",
      responses: { 200: { type: "text/html" } },
      handle: () => ({
        text: `<!doctype html><html lang="en"><meta charset="utf-8"><title>E-mails</title><style>body{font:16px system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}iframe{width:100%;height:26rem;border:1px solid #999}pre{white-space:pre-wrap}</style><h1>E-mails: ${kept.length}</h1>${kept.map(shown).join("")}</html>`,
        type: HTML,
        headers: { ...PAGE_HEADERS, "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'" },
      }),
    }),
  ];
}

/** So that a link leaves its frame, which may load nothing. */
const ON_TOP = '<head><base target="_top">';

function shown({ subject, address, text, html, headers }: NonNullable<Post["kept"]>[number]): string {
  const head = [`To: ${address}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\n");
  return `<article><h2>${escapeHtml(subject)}</h2><pre>${escapeHtml(head)}</pre><iframe sandbox="allow-popups allow-top-navigation-by-user-activation" title="${escapeHtml(subject)}" srcdoc="${escapeHtml(html.replace("<head>", ON_TOP))}"></iframe><details><summary>Plain text</summary><pre>${escapeHtml(text)}</pre></details></article>`;
}

/** The pages behind the links of e-mails: they need neither a login nor a script. */

/** Those that ask something have a button. */
const ASKING = ["verify", "unsubscribe"] as const;
type MailPage = (typeof ASKING)[number] | "verified" | "unsubscribed" | "over";

/** With a button where the page asks something; it sends the same address a POST. */
function mailPage(page: MailPage, language: Language, site: string): string {
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
