import { percentText } from "../../../core/rules/money.ts";
import { isRecord } from "../../../core/rules/records.ts";
import { shortenAddress } from "../../../core/rules/wallet-address.ts";
import { decimalText, listText, saoPauloMoment, t, textOf } from "../texts.ts";
import { operationWhy, theField } from "../words.ts";
import { chainSentence } from "./chain-acts.ts";

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
export function logSentence({ action, subject, detail }: LogEntry, names: Names): string {
  const said = { detail: parse(detail), subject, names };
  const sentence = action.startsWith("chain.")
    ? chainSentence(action.slice("chain.".length), said.detail)
    : textOf("log", action, valuesOf(said));
  return sentence ?? t("log.unknown", { action, subject });
}

/** What the sentences of the log name, each as far as an entry has it; a clause is empty where it has nothing. */
function valuesOf(said: Said) {
  const { detail, subject } = said;
  const id = idOf(subject);
  const stopped = operationWhy(text(detail.reason) ?? null)?.replace(/\.$/, "");
  return {
    id,
    store: storeOf(said),
    created: text(detail.name) ?? storeOf(said),
    category: categoryOf(said),
    offer: text(detail.title) ?? t("logPart.number", { id }),
    token: text(detail.name) ?? said.names.fanToken(id) ?? t("logPart.number", { id }),
    club: text(detail.name) ?? subject.replace("club:", ""),
    wallet: walletOf(subject),
    account: subject.replace("account:", ""),
    rate: rateOf(subject),
    count: text(detail.count) ?? "?",
    amount: twoDecimals(text(detail.amount)),
    booking: text(detail.booking) ?? "?",
    day: text(detail.day) ?? "?",
    saleId: text(detail.sale_id) ?? "?",
    origin: text(detail.origin) ?? "?",
    signature: text(detail.signature) ?? "",
    isSet: String(detail.is_set === true),
    changes: changesOf(detail),
    operation: operationOf(detail, id),
    approval: approvalOf(detail, id),
    sale: aboutSale(detail),
    percent: percentOf(detail),
    place: placeOf(said),
    until: untilOf(detail),
    waits: detail.approval_id === undefined ? "" : t("logPart.waits"),
    lapsed: detail.lapsed ? t("logPart.lapsed") : "",
    stopped: stopped === undefined ? "" : t("logPart.stopped", { why: stopped }),
    because: because(detail.reason),
    given: because(detail.given_reason),
  };
}

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
  return text(detail.store) ?? names.store(id) ?? t("logPart.number", { id });
}

function categoryOf({ detail, subject, names }: Said): string {
  const { store = "", cashback = "" } = idsOf(subject);
  return text(detail.category) ?? names.category(store, cashback) ?? t("logPart.number", { id: cashback });
}

/** ", em Camisas, em Verdão Store" */
function placeOf(said: Said): string {
  const category = text(said.detail.category);
  const store = storeOf(said);
  return category ? t("logPart.placeCategory", { category, store }) : t("logPart.placeStore", { store });
}

/** ", até 29 de nov. de 2026, 23:59 (São Paulo)" */
function untilOf(detail: Detail): string {
  const end = text(detail.ends_at);
  return end === undefined ? "" : t("logPart.until", { end: saoPauloMoment(end) });
}

function operationOf(detail: Detail, id: string): string {
  const what = textOf("operation.kind", text(detail.kind))?.toLowerCase() ?? t("logPart.operationUnknown", { id });
  return t("logPart.operation", { what, id: text(detail.subject_id) ?? id });
}

function walletOf(subject: string): string {
  const wallet = /0x[0-9a-f]{40}/i.exec(subject)?.[0];
  return wallet ? shortenAddress(wallet) : subject;
}

/** "USD em 2026-11-20" of "fx_rate:USD:2026-11-20" */
function rateOf(subject: string): string {
  const [currency = "?", day] = subject.split(":").slice(1);
  return day === undefined ? currency : t("logPart.rate", { currency, day });
}

/** ", 5%", or ", de 5% para 6%" if it changed. */
function percentOf(detail: Detail): string {
  const percent = percentIn(detail);
  if (percent === undefined) return "";
  const was = isRecord(detail.was) ? percentIn(detail.was) : undefined;
  return was === undefined || was === percent
    ? t("logPart.percent", { percent })
    : t("logPart.percentChange", { was, percent });
}

function percentIn(detail: Detail): string | undefined {
  const bps = text(detail.cashbackBps);
  const percent = text(detail.cashback_percent) ?? (bps && /^\d+$/.test(bps) ? percentText(BigInt(bps)) : undefined);
  return percent && `${decimalText(percent)}%`;
}

function changesOf(detail: Detail): string {
  const fields = Object.keys(detail).flatMap((field) => theField(field) ?? []);
  return fields.length === 0 ? t("logPart.fields") : listText(fields);
}

/** ", pedido PED-1, de R$ 300,00" */
function aboutSale(detail: Detail): string {
  const order = text(detail.order_ref);
  const amount = text(detail.amount);
  const currency = text(detail.currency);
  const money = amount && `${currency === "BRL" ? "R$" : (currency ?? "")} ${twoDecimals(amount)}`;
  return `${order ? t("logPart.order", { order }) : ""}${money ? t("logPart.money", { money }) : ""}`;
}

/** "pagar a compra nº 7, de 25,00 CHZ, para 0x1234…abcd (pedido nº 3)" */
function approvalOf(detail: Detail, id: string): string {
  const wallet = text(detail.wallet);
  const said = { purchase: text(detail.purchase_id) ?? "?", amount: twoDecimals(text(detail.amount)), id };
  return wallet ? t("logPart.approvalTo", { ...said, wallet: shortenAddress(wallet) }) : t("logPart.approval", said);
}

const twoDecimals = (amount = "0"): string => decimalText(amount, 2);

function because(given: unknown): string {
  const reason = text(given);
  return !reason || reason === "An administrator stopped payments" ? "" : t("logPart.because", { reason });
}
