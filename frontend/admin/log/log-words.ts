import { percentText } from "../../../core/rules/money.ts";
import { isRecord } from "../../../core/rules/records.ts";
import { saoPauloText } from "../../../core/rules/sao-paulo-time.ts";
import { shortenAddress } from "../../../core/rules/wallet-address.ts";
import { numeric } from "../../i18n/numeric.ts";
import { FIELD_WORDS, OPERATION_KINDS, operationWhy } from "../words.ts";
import { CHAIN_SENTENCES } from "./chain-acts.ts";

export type LogEntry = { action: string; subject: string; detail: string };
/** Names for the ids in the log; undefined for deleted rows. */
export type Names = {
  store: (id: string) => string | undefined;
  category: (storeId: string, id: string) => string | undefined;
  fanToken: (id: string) => string | undefined;
};

type Detail = Record<string, unknown>;
type Said = { detail: Detail; subject: string; names: Names };

/** What an admin did, as a sentence without its subject: "criou a categoria Camisas, 5%, em Verdão Store". */
export function logSentence(entry: LogEntry, names: Names): string {
  const said = { detail: parse(entry.detail), subject: entry.subject, names };
  const sentence = SENTENCES[entry.action]?.(said);
  return sentence ?? `${entry.action} em ${entry.subject}`;
}

const SENTENCES: Record<string, (said: Said) => string> = {
  "store.create": (said) => `cadastrou a loja ${text(said.detail.name) ?? storeOf(said)}`,
  "store.update": (said) => `mudou ${changesOf(said.detail)} da loja ${storeOf(said)}`,
  "store.delete": (said) => `excluiu a loja ${storeOf(said)}`,
  "store.logo": (said) => `enviou o logo da loja ${storeOf(said)}`,
  "cashback.create": (said) =>
    `criou a categoria ${categoryOf(said)}${percentOf(said.detail)}, em ${storeOf(said)}${waits(said.detail)}`,
  "cashback.update": (said) =>
    `mudou a categoria ${categoryOf(said)}${percentOf(said.detail)}, em ${storeOf(said)}${waits(said.detail)}`,
  "cashback.delete": (said) => `excluiu a categoria ${categoryOf(said)}, em ${storeOf(said)}`,
  "boost.plan": (said) => `planejou cashback turbinado${aboutBoost(said)}${waits(said.detail)}`,
  "boost.end": (said) => `encerrou o cashback turbinado${aboutBoost(said)}${because(said.detail)}`,
  "boost.withdraw": (said) => `desistiu do cashback turbinado${aboutBoost(said)}${because(said.detail)}`,
  "percent.approve": (said) =>
    `aprovou o percentual${percentOf(said.detail)}${placeOf(said)}${said.detail.lapsed ? ", mas o pedido não valia mais" : ""}${because(said.detail)}`,
  "percent.refuse": (said) => `recusou o percentual${percentOf(said.detail)}${placeOf(said)}${because(said.detail)}`,
  "fan_token.create": (said) => `cadastrou o fan token ${tokenOf(said)}`,
  "fan_token.update": (said) => `mudou o fan token ${tokenOf(said)}`,
  "fan_token.delete": (said) => `excluiu o fan token ${tokenOf(said)}`,
  "payouts.pause": ({ detail }) => `pausou os pagamentos${because(detail)}`,
  "payouts.resume": ({ detail }) => `retomou os pagamentos${because(detail)}`,
  "operation.retry": (said) => {
    const why = operationWhy(text(said.detail.reason) ?? null);
    const given = because({ reason: said.detail.given_reason });
    return `mandou tentar de novo: ${operationOf(said)}${why ? `. Tinha parado: ${why.replace(/\.$/, "")}` : ""}${given}`;
  },
  "operation.dismiss": (said) => `desistiu do que nunca poderia ser enviado: ${operationOf(said)}`,
  "operation.release": () => "mandou tentar de novo tudo o que esperava",
  "foreign.accept": ({ detail }) => `aceitou ${text(detail.count) ?? ""} transações de fora`,
  "purchase.confirm": ({ subject }) => `confirmou à mão a compra nº ${idOf(subject)}`,
  "purchase.hold": ({ detail, subject }) => `reteve a compra nº ${idOf(subject)}${because(detail)}`,
  "purchase.release": ({ detail, subject }) => `liberou a compra nº ${idOf(subject)}${because(detail)}`,
  "approval.approve": ({ detail, subject }) => `aprovou${aboutApproval(detail, subject)}${because(detail)}`,
  "approval.refuse": ({ detail, subject }) => `recusou aprovar${aboutApproval(detail, subject)}${because(detail)}`,
  "cashback_distribution.create": ({ detail, subject }) =>
    `pagou ${inReais(text(detail.amount) ?? "0")} CHZ de cashback a ${walletOf(subject)}${because(detail)}`,
  "booking.create": ({ detail, subject }) =>
    `lançou ${inReais(text(detail.amount) ?? "0")} reais que chegaram da conta ${subject.replace("account:", "")}`,
  "booking.propose": ({ detail, subject }) =>
    `pediu para lançar ${inReais(text(detail.amount) ?? "0")} reais da conta ${subject.replace("account:", "")}: espera outra pessoa`,
  "booking.reverse": ({ detail, subject }) =>
    `estornou o lançamento nº ${text(detail.booking) ?? "?"} da conta ${subject.replace("account:", "")}, de ${inReais(text(detail.amount) ?? "0")} reais`,
  "account.sales_day": ({ detail, subject }) =>
    `anunciou ${text(detail.day) ?? "?"} como dia de promoção da conta ${subject.replace("account:", "")}`,
  "fx_rate.accept": ({ detail, subject }) =>
    `aceitou a cotação de ${subject.split(":").slice(1).join(" em ")}${because(detail)}`,
  "sale.release": ({ detail, subject }) => `liberou a venda nº ${idOf(subject)}${aboutSale(detail)}${because(detail)}`,
  "sale.decline": ({ detail, subject }) => `recusou a venda nº ${idOf(subject)}${aboutSale(detail)}${because(detail)}`,
  "sale.assign": ({ detail, subject }) => `ligou a venda nº ${idOf(subject)} a uma visita${because(detail)}`,
  "claim.match": ({ detail, subject }) =>
    `ligou a reclamação nº ${idOf(subject)} à venda nº ${text(detail.sale_id) ?? "?"}${because(detail)}`,
  "claim.refuse": ({ detail, subject }) => `recusou a reclamação nº ${idOf(subject)}${because(detail)}`,
  "approval.approve_all": ({ detail }) =>
    `aprovou ${text(detail.count) ?? "?"} pagamentos de uma vez, ${inReais(text(detail.amount) ?? "0")} CHZ ao todo${because(detail)}`,
  "approval.refuse_all": ({ detail }) =>
    `recusou ${text(detail.count) ?? "?"} pagamentos de uma vez, ${inReais(text(detail.amount) ?? "0")} CHZ ao todo${because(detail)}`,
  "session.sign_in": ({ detail }) =>
    `entrou no painel ${SIGNATURES[text(detail.signature) ?? ""] ?? ""}, do endereço ${text(detail.origin) ?? "?"}`,
  "user.nickname": ({ detail, subject }) =>
    `${detail.is_set === true ? "deu um apelido" : "tirou o apelido"} à carteira ${walletOf(subject)}`,
  "user.sessions_revoke": ({ detail, subject }) => `encerrou as sessões de ${walletOf(subject)}${because(detail)}`,
  ...CHAIN_SENTENCES,
  "user.erase": ({ detail, subject }) => `apagou o cadastro de ${walletOf(subject)}${because(detail)}`,
};

const SIGNATURES: Record<string, string> = {
  key: "com a chave da carteira",
  contract: "com a assinatura do contrato da carteira",
};

function parse(detail: string): Detail {
  try {
    const value: unknown = JSON.parse(detail);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === "number" || (typeof value === "string" && value !== "") ? String(value) : undefined;

/** "store:3/cashback:9" → { store: "3", cashback: "9" } */
function idsOf(subject: string): Record<string, string> {
  const parts = subject.split("/").map((part) => part.split(/[: ]/));
  return Object.fromEntries(parts.flatMap(([kind, id]) => (kind && id ? [[kind, id]] : [])));
}

const idOf = (subject: string): string => /(\d+)$/.exec(subject)?.[1] ?? subject;

/** The name at that time, if the log has it. */
function storeOf({ detail, subject, names }: Said): string {
  const id = idsOf(subject).store ?? idOf(subject);
  return text(detail.store) ?? names.store(id) ?? `nº ${id}`;
}

function categoryOf({ detail, subject, names }: Said): string {
  const { store = "", cashback = "" } = idsOf(subject);
  return text(detail.category) ?? names.category(store, cashback) ?? `nº ${cashback}`;
}

/** ", em Camisas, em Verdão Store" */
function placeOf(said: Said): string {
  const category = text(said.detail.category);
  return `${category ? `, em ${category}` : ""}, em ${storeOf(said)}`;
}

/** ", 10%, em Verdão Store, até 29 de nov. de 2026, 23:59 (São Paulo)" */
function aboutBoost(said: Said): string {
  const end = text(said.detail.ends_at);
  return `${percentOf(said.detail)}${placeOf(said)}${end ? `, até ${saoPauloText(end)} (São\u00a0Paulo)` : ""}`;
}

function waits(detail: Detail): string {
  return detail.approval_id === undefined ? "" : ", que espera uma segunda pessoa";
}

function operationOf({ detail, subject }: Said): string {
  const what = OPERATION_KINDS[text(detail.kind) ?? ""]?.toLowerCase() ?? `a operação ${idOf(subject)}`;
  return `${what}, nº ${text(detail.subject_id) ?? idOf(subject)}`;
}

function tokenOf({ detail, subject, names }: Said): string {
  const id = idOf(subject);
  return text(detail.name) ?? names.fanToken(id) ?? `nº ${id}`;
}

function walletOf(subject: string): string {
  const wallet = /0x[0-9a-f]{40}/i.exec(subject)?.[0];
  return wallet ? shortenAddress(wallet) : subject;
}

/** ", 5%", or ", de 5% para 6%" if it changed. */
function percentOf(detail: Detail): string {
  const now = percentIn(detail);
  if (now === undefined) return "";
  const was = isRecord(detail.was) ? percentIn(detail.was) : undefined;
  return was === undefined || was === now ? `, ${now}%` : `, de ${was}% para ${now}%`;
}

function percentIn(detail: Detail): string | undefined {
  const bps = text(detail.cashbackBps);
  const percent = text(detail.cashback_percent) ?? (bps && /^\d+$/.test(bps) ? percentText(BigInt(bps)) : undefined);
  return percent?.replace(".", ",");
}

function changesOf(detail: Detail): string {
  const fields = Object.keys(detail).filter((field) => field in FIELD_WORDS);
  if (fields.length === 0) return "os dados";
  return new Intl.ListFormat("pt-BR").format(fields.map((field) => FIELD_WORDS[field] ?? field));
}

/** ", pedido PED-1, de BRL 300,00" */
function aboutSale(detail: Detail): string {
  const order = text(detail.order_ref);
  const amount = text(detail.amount);
  const currency = text(detail.currency);
  const money = amount && (currency === "BRL" ? `R$ ${inReais(amount)}` : `${currency ?? ""} ${inReais(amount)}`);
  return `${order ? `, pedido ${order}` : ""}${money ? `, de ${money}` : ""}`;
}

/** ": pagar a compra nº 7, de 25,00 CHZ, para 0x1234…abcd (pedido nº 3)" */
function aboutApproval(detail: Detail, subject: string): string {
  const wallet = text(detail.wallet);
  const amount = inReais(text(detail.amount) ?? "0");
  return `: pagar a compra nº ${text(detail.purchase_id) ?? "?"}, de ${amount} CHZ${wallet ? `, para ${shortenAddress(wallet)}` : ""} (pedido nº ${idOf(subject)})`;
}

const inReais = (amount: string): string =>
  new Intl.NumberFormat("pt-BR", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(numeric(amount));

function because(detail: Detail): string {
  const reason = text(detail.reason);
  return !reason || reason === "An administrator stopped payments" ? "" : `. Motivo: ${reason}`;
}
