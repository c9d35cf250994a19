import type { PurchaseNft } from "../../domain/api/people.ts";
import type { PurchaseRecord } from "../../domain/api/purchases.ts";
import { DAY_MS } from "../../domain/iso-time.ts";
import { chzTextFromGwei, percentText, reaisText } from "../../domain/money.ts";
import { isKeyOf } from "../../domain/records.ts";
import { factsGwei, nftFacts, readStatus } from "../api/nft-facts.ts";
import type { Profile } from "../api/shapes.ts";

/** One purchase in the statement, from its stored record, its token on the chain, or both. */
export type Entry = {
  id: string;
  store: string;
  status: "processing" | "pending" | "confirmed" | "cancelled";
  /** Reais, decimal text; the ticket's own text if it is not a number. */
  value: string | undefined;
  valueText: string;
  /** Whole percent, decimal text. */
  percent: string | undefined;
  percentText: string;
  /** CHZ, decimal text. */
  cashback: string;
  /** ISO; empty for a token without a known record. */
  date: string;
  wallet: string;
  nft: PurchaseNft | undefined;
  purchase: PurchaseRecord | undefined;
};

/** On-chain tokens take precedence, then records without a token yet. Newest first. */
export function entriesOf(
  profile: Pick<Profile, "nfts" | "purchases">,
  older: readonly PurchaseRecord[],
  weiPerCent: bigint,
): Entry[] {
  const purchases = [...profile.purchases, ...older];
  const byId = new Map(purchases.map((one) => [String(one.id), one]));
  const minted = new Set(profile.nfts.map((nft) => nft.tokenId));
  const entries = [
    ...profile.nfts.map((nft) => fromNft(nft, byId.get(nft.tokenId), weiPerCent)),
    ...purchases.filter((one) => !minted.has(String(one.id))).map(fromRecord),
  ];
  return entries.sort((a, b) => b.date.localeCompare(a.date) || compareIds(b.id, a.id));
}

const compareIds = (a: string, b: string): number => a.length - b.length || a.localeCompare(b);

function fromNft(nft: PurchaseNft, purchase: PurchaseRecord | undefined, weiPerCent: bigint): Entry {
  const facts = nftFacts(nft);
  return {
    id: nft.tokenId,
    store: facts.store,
    status: facts.status,
    value: facts.valueCents === undefined ? undefined : reaisText(facts.valueCents),
    valueText: facts.valueText,
    percent: facts.cashbackBps === undefined ? undefined : percentText(facts.cashbackBps),
    percentText: facts.percentText,
    cashback: purchase?.cashback_amount ?? chzTextFromGwei(factsGwei(facts, weiPerCent)),
    date: purchase?.created_at ?? "",
    wallet: facts.buyer.toLowerCase(),
    nft,
    purchase,
  };
}

function fromRecord(purchase: PurchaseRecord): Entry {
  const total = Number(purchase.cashback_percent ?? 0) + Number(purchase.bonus_percent ?? 0);
  return {
    id: String(purchase.id),
    store: purchase.store,
    status: purchase.status ?? readStatus(purchase.stored_status ?? ""),
    value: String(purchase.amount),
    valueText: "",
    percent: String(total),
    percentText: "",
    cashback: purchase.cashback_amount ?? String(purchase.cashback),
    date: purchase.date ?? purchase.created_at ?? "",
    wallet: (purchase.destination ?? "").toLowerCase(),
    nft: undefined,
    purchase,
  };
}

export const PERIODS = { month: 30, quarter: 90, year: 365 } as const;
export type Filter = { status?: string; store?: string; period?: string };

export function filterEntries(entries: readonly Entry[], filter: Filter, nowMs = Date.now()): Entry[] {
  const { period } = filter;
  const since = period && isKeyOf(PERIODS, period) ? nowMs - PERIODS[period] * DAY_MS : undefined;
  return entries.filter(
    (entry) =>
      (!filter.status || statusOf(entry) === filter.status) &&
      (!filter.store || entry.store === filter.store) &&
      (since === undefined || Date.parse(entry.date) >= since),
  );
}

/** Consecutive entries of one month; `month` is a date in it, empty for entries without a date. */
export type Month = { month: string; entries: Entry[] };

/** Keeps the given order, newest first. Months are in the user's time zone, not UTC. */
export function byMonth(entries: readonly Entry[]): Month[] {
  const months: Month[] = [];
  for (const entry of entries) {
    const last = months.at(-1);
    if (last && monthOf(last.month) === monthOf(entry.date)) last.entries.push(entry);
    else months.push({ month: entry.date, entries: [entry] });
  }
  return months;
}

function monthOf(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? "" : `${date.getFullYear()}-${date.getMonth()}`;
}

export type EntryStatus = Entry["status"] | "paid";

/** A confirmed purchase whose cashback has arrived is paid. */
export function statusOf(entry: Entry): EntryStatus {
  const isPaid =
    entry.status === "confirmed" && entry.purchase !== undefined && entry.purchase.cashback_state !== "unpaid";
  return isPaid ? "paid" : entry.status;
}

/** For spreadsheets: decimal points, ISO dates, and names that look like a formula escaped. */
export function toCsv(entries: readonly Entry[]): string {
  const rows = entries.map((entry) => [
    entry.id,
    entry.date,
    entry.store,
    entry.value ?? entry.valueText,
    entry.percent ?? entry.percentText,
    entry.cashback,
    statusOf(entry),
    entry.wallet,
    entry.purchase?.payment_tx ?? "",
  ]);
  const header = [
    "id",
    "date",
    "store",
    "value_brl",
    "cashback_percent",
    "cashback_chz",
    "status",
    "wallet",
    "payment_tx",
  ];
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
