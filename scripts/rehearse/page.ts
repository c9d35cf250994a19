import { textIn } from "../../core/rules/languages.ts";
import { isKeyOf } from "../../core/rules/records.ts";
import type { SaleState } from "../../core/rules/sale/facts.ts";
import { type Hold, sayHolds } from "../../core/rules/sale/holds.ts";
import { escapeHtml } from "../../core/rules/text.ts";
import type { ShopStore } from "./catalogue.ts";
import { CALL_FAULTS, PUSH_FAULTS, type RehearsedNetwork } from "./networks.ts";
import { decimal, type SimulatedSale, totalOf } from "./simulators/book.ts";
import type { ProgrammeTurn } from "./simulators/programmes.ts";
import { type Language, TEXTS, type TextKey, type Texts } from "./texts.ts";

export type Visit = { store: ShopStore; click: string };
/** A sale as Torcida has recorded it. */
export type Booked = {
  state: SaleState;
  /** Why it is held, or in the network's words why it was declined. */
  holds: Hold[];
  reason: string | null;
  cashbackCentBps: bigint;
  paidGwei: bigint;
};

export type View = {
  language: Language;
  torcidaUrl: string;
  visit: Visit | undefined;
  stores: readonly ShopStore[];
  networks: readonly RehearsedNetwork[];
  booked: ReadonlyMap<string, Booked>;
  readers: ReadonlyMap<string, { readAt: number; error: string | null }>;
  problem: TextKey | undefined;
};

const CURRENCIES = ["BRL", "USD", "EUR"];
export const COMMISSIONS = { usual: 1_200, thin: 100 } as const;
const SALES_SHOWN = 30;

export function renderPage(view: View): string {
  const t = TEXTS[view.language];
  const { torcidaUrl } = view;
  const other = view.language === "pt" ? "en" : "pt";
  const isEmpty = view.networks.every(({ book }) => book.sales.size === 0);
  return `<!doctype html>
<html lang="${view.language === "pt" ? "pt-BR" : "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${t.title} · Torcida</title>
<link rel="icon" href="/public/favicon.svg">
${["reset", "tokens", "base", "controls"].map((name) => `<link rel="stylesheet" href="/design/${name}.css">`).join("\n")}
<link rel="stylesheet" href="/page.css">
<script>document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"</script>
</head>
<body>
<header class="stand">
  <div class="frame">
    <nav class="top" aria-label="Torcida">
      <a class="button button-signal" href="${torcidaUrl}/stores" target="torcida">${t.openTorcida}</a>
      <a class="button button-chalk" href="${torcidaUrl}/dashboard" target="torcida">${t.dashboard}</a>
      <a class="button button-chalk" href="${torcidaUrl}/admin" target="torcida">${t.panel}</a>
      <a class="language" href="?lang=${other}${view.visit ? `&click=${encodeURIComponent(view.visit.click)}` : ""}" hreflang="${other}">${t.otherLanguage}</a>
    </nav>
    <h1>${t.title}</h1>
    <p class="intro">${t.intro}</p>
  </div>
</header>
<main class="frame">
  ${view.visit ? storefront(view, view.visit) : isEmpty ? steps(view) : ""}
  <section aria-labelledby="sales-title">
    <h2 id="sales-title">${t.sales}</h2>
    <div id="sales">${renderSales(view)
      .map(({ html }) => html)
      .join("")}</div>
    <div id="no-sales"${isEmpty ? "" : " hidden"}>${noSales(view)}</div>
  </section>
  <section aria-labelledby="networks-title">
    <h2 id="networks-title">${t.networks}</h2>
    <div class="networks">${view.networks.map((network) => networkCard(view, network)).join("")}</div>
  </section>
  <section aria-labelledby="programmes-title">
    <h2 id="programmes-title">${t.programmes}</h2>
    <p class="muted">${t.programmesHint}</p>
    <div class="networks">${view.networks.map((network) => programmesCard(view, network)).join("")}</div>
  </section>
  ${view.visit || isEmpty ? "" : steps(view)}
</main>
<script type="module" src="/page.js"></script>
</body>
</html>`;
}

function steps({ language }: View): string {
  const t = TEXTS[language];
  const items = [t.step1, t.step2, t.step3, t.step4].map((step) => `<li>${step}</li>`).join("");
  return `<section aria-labelledby="steps-title"><h2 id="steps-title">${t.steps}</h2><ol class="course">${items}</ol></section>`;
}

function storefront({ language, problem }: View, { store, click }: Visit): string {
  const t = TEXTS[language];
  const options = store.categories.map(
    (one) =>
      `<option value="${escapeHtml(one.group)}">${escapeHtml(textIn(one, "category", language))} · ${percent(one.bps, language)}</option>`,
  );
  const categories = [...options, `<option value="SOMETHING-ELSE">${t.otherCategory}</option>`].join("");
  const item = (number: number, label: string, value: string) => `
    <fieldset>
      <legend>${label}</legend>
      <label class="field"><span>${t.category}</span><select name="group${number}">${categories}</select></label>
      <label class="field"><span>${t.amount}</span><input name="amount${number}" inputmode="decimal" autocomplete="off" value="${value}"></label>
    </fieldset>`;
  return `
  <section class="card storefront" aria-labelledby="store-title">
    <div class="awning" aria-hidden="true"></div>
    <div class="card-body">
      <p class="muted">${t.shopOf}</p>
      <h2 id="store-title">${escapeHtml(store.name)}</h2>
      <p><span class="badge">${t[store.network]}</span> <span class="${click ? "good" : "muted"}">${click ? t.withClick : t.withoutClick}</span></p>
      ${problem ? `<p class="problem" role="alert">${t[problem]}</p>` : ""}
      <form method="post" action="/buy?lang=${language}">
        <input type="hidden" name="store" value="${store.id}"><input type="hidden" name="click" value="${escapeHtml(click)}">
        ${item(1, t.item, language === "pt" ? "250,00" : "250.00")}
        ${item(2, t.secondItem, "")}
        <fieldset class="terms">
          <label class="field"><span>${t.currency}</span><select name="currency">${CURRENCIES.map((one) => `<option>${one}</option>`).join("")}</select></label>
          <label class="field"><span>${t.commission}</span><select name="commission"><option value="usual">${t.usual}</option><option value="thin">${t.thin}</option></select></label>
          <button class="button button-signal">${t.buy}</button>
        </fieldset>
      </form>
    </div>
  </section>`;
}

function noSales({ language, stores }: View): string {
  const links = stores.map(
    ({ id, name }) =>
      `<a class="button button-quiet button-small" href="/shop/${id}?lang=${language}">${escapeHtml(name)}</a>`,
  );
  return `<p class="muted">${TEXTS[language].none}</p><p class="stores">${links.join("")}</p>`;
}

/** The latest sales of all networks, one card each. */
export function renderSales(view: View): { key: string; html: string }[] {
  return view.networks
    .flatMap((network) => [...network.book.sales.values()].map((sale) => ({ network, sale })))
    .sort((a, b) => b.sale.soldAt - a.sale.soldAt)
    .slice(0, SALES_SHOWN)
    .map(({ network, sale }) => ({ key: `${network.name}-${sale.id}`, html: saleCard(view, network, sale) }));
}

function saleCard({ language, booked }: View, { name }: RehearsedNetwork, sale: SimulatedSale): string {
  const t = TEXTS[language];
  const key = `${name}-${sale.id}`;
  const action = (verb: string) => `/sales/${name}/${encodeURIComponent(sale.id)}/${verb}?lang=${language}`;
  const button = (verb: string, label: string, look = "button-quiet") =>
    `<form method="post" action="${action(verb)}"><button class="button button-small ${look}">${label}</button></form>`;
  const total = totalOf(sale, "cents");
  const correction = `<form method="post" action="${action("correct")}" class="correct">
      <label class="field"><span class="sr-only">${t.newAmount}</span><input name="amount" inputmode="decimal" autocomplete="off" aria-label="${t.newAmount}" value="${localDecimal(total, language)}"></label>
      <button class="button button-small button-quiet">${t.correct}</button></form>`;
  const verbs =
    sale.status === "declined"
      ? [button("restore", t.restore)]
      : [
          ...(sale.status === "pending" ? [button("approve", t.approve, "")] : []),
          ...(sale.status === "approved" && !sale.isPaid ? [button("pay", t.payOut, "button-signal")] : []),
          correction,
          button("decline", t.decline, "button-danger"),
        ];
  const status = sale.isPaid ? t.paid : wordOf(t, sale.status);
  const groups = sale.parts.map(({ group, cents }) => `${escapeHtml(group)} ${money(cents, sale.currency, language)}`);
  return `<article class="card sale" id="${escapeHtml(key)}">
    <div class="sale-what">
      <p class="muted">${t[name]} · ${escapeHtml(sale.orderRef)}</p>
      <p class="total figures">${money(total, sale.currency, language)}</p>
      <p class="muted figures">${groups.join(" + ")}</p>
      <p><span class="badge status-${sale.isPaid ? "paid" : escapeHtml(sale.status)}">${escapeHtml(status)}</span></p>
    </div>
    <div class="sale-books">${books(language, booked.get(key))}</div>
    <div class="verbs">${verbs.join("")}</div>
  </article>`;
}

function books(language: Language, booked: Booked | undefined): string {
  const t = TEXTS[language];
  if (!booked) return `<p class="muted">${t.books}</p><p><strong>${t.unread}</strong></p>`;
  const { state, holds, cashbackCentBps, paidGwei } = booked;
  const reason = holds.length > 0 ? sayHolds(holds, language) : booked.reason;
  return `<p class="muted">${t.books}</p>
    <p><strong class="state-${state}">${t[state]}</strong></p>
    <p class="figures">${t.cashback} ${money(Number(cashbackCentBps / 10_000n), "BRL", language)}</p>
    ${paidGwei > 0n ? `<p class="figures good">${t.received} ${chz(paidGwei, language)} CHZ</p>` : ""}
    ${reason ? `<p class="reason">${escapeHtml(reason)}</p>` : ""}`;
}

function wordOf(texts: Texts, key: string): string {
  return isKeyOf(texts, key) ? texts[key] : key;
}

function networkCard({ language, readers }: View, network: RehearsedNetwork): string {
  const t = TEXTS[language];
  const select = (name: string, label: string, values: readonly string[], chosen: string) => `
    <label class="field"><span>${label}</span><select name="${name}">${values
      .map(
        (one) => `<option value="${one}"${one === chosen ? " selected" : ""}>${wordOf(t, `${name}.${one}`)}</option>`,
      )
      .join("")}</select></label>`;
  const isRead = network.simulator !== undefined;
  const pushes = isRead ? PUSH_FAULTS : PUSH_FAULTS.filter((one) => one !== "lost" && one !== "lying");
  return `<form class="card network" method="post" action="/networks/${network.name}?lang=${language}">
    <h3>${t[network.name]}</h3>
    <p class="muted" id="network-${network.name}">${isRead ? readText(language, readers.get(network.name)) : t.signed}</p>
    ${isRead ? select("calls", t.calls, CALL_FAULTS, network.calls) : ""}
    ${select("pushes", t.pushes, pushes, network.pushes)}
    <button class="button button-small button-quiet">${t.set}</button>
  </form>`;
}

/** What a network offers, with buttons for what it does with it. */
function programmesCard({ language }: View, { name, simulator }: RehearsedNetwork): string {
  if (!simulator) return "";
  const t = TEXTS[language];
  const button = (id: string, turn: Exclude<ProgrammeTurn, "arrive">, of: string) =>
    `<form method="post" action="/programmes/${name}/${id}/${turn}?lang=${language}"><button class="button button-small button-quiet">${t[`programme.${turn}`]}<span class="sr-only"> ${escapeHtml(of)}</span></button></form>`;
  const rows = simulator.programmes.all.map(({ id, name: of, status, groups }) => {
    const rates = [...new Set(groups.map((group) => ("percent" in group ? `${group.percent} %` : t.fixed)))].join(", ");
    const turns = (["less", "more", status === "active" ? "pause" : "resume"] as const).map((one) =>
      button(id, one, of),
    );
    return `<li><p>${escapeHtml(of)} <span class="muted figures">${rates}${status === "active" ? "" : ` · ${t.paused}`}</span></p><div class="verbs">${turns.join("")}</div></li>`;
  });
  return `<div class="card network"><h3>${t[name]}</h3><ul>${rows.join("")}</ul>
    <form method="post" action="/programmes/${name}/new/arrive?lang=${language}"><button class="button button-small">${t["programme.arrive"]}</button></form></div>`;
}

/** When a network was last read, or that its reader fails. */
export function readText(language: Language, reader: { readAt: number; error: string | null } | undefined): string {
  const t = TEXTS[language];
  if (reader?.error) return t.readFails;
  if (!reader?.readAt) return t.notRead;
  return t.readAgo.replace("{seconds}", String(Math.max(0, Math.round((Date.now() - reader.readAt) / 1_000))));
}

const LOCALES = { pt: "pt-BR", en: "en" } as const;

function money(cents: number, currency: string, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language], { style: "currency", currency }).format(cents / 100);
}

function chz(gwei: bigint, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: 6 }).format(Number(gwei) / 1e9);
}

function percent(bps: bigint, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language], { style: "percent", maximumFractionDigits: 2 }).format(
    Number(bps) / 10_000,
  );
}

function localDecimal(cents: number, language: Language): string {
  return language === "pt" ? decimal(cents).replace(".", ",") : decimal(cents);
}
