import type { PurchaseNft } from "../../core/rules/api/people.ts";
import type { Debt, Review } from "../../core/rules/api/purchases.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei, gweiFromChzText, percentText, reaisText } from "../../core/rules/money.ts";
import type { PurchaseStatus } from "../../core/rules/purchase/life.ts";
import {
  FIGURES,
  type Figure,
  SITUATIONS,
  type Situation,
  situationOfTicket,
} from "../../core/rules/purchase/situation.ts";
import { isKeyOf } from "../../core/rules/records.ts";
import { chainFacts, factsGwei, type NftFacts, nftFacts, readStatus } from "../api/nft-facts.ts";
import type { Profile, PurchaseRecord } from "../api/shapes.ts";
import type { TicketRecord } from "../chain/ticket-differences.ts";
import { FOREIGN, type StatusWord, statusWord } from "../i18n/situation-word.ts";

/** So many are shown at first, and with each click more. */
export const STATEMENT_PAGE = 12;

/** One purchase in the statement, from its stored record, its token on the chain, or both. */
export type Entry = {
  id: string;
  store: string;
  status: StatusWord | "returned";
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
  /** Of a ticket: its figures, and who says them. */
  facts: NftFacts | undefined;
  reading: Reading | undefined;
  purchase: PurchaseRecord | undefined;
};

/** `chain`: its contract. `server`: the contract has not been read. `waiting`: for the contract's answer. */
export type Reading = "chain" | "server" | "waiting";

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
    ...ofFacts(facts),
    cashback: purchase?.cashback_amount ?? chzTextFromGwei(factsGwei(facts, weiPerCent)),
    date: purchase?.created_at ?? "",
    nft,
    reading: undefined,
    purchase,
  };
}

/** A ticket with what its contract says; the server adds where the purchase is, and its words. docs/product.md#tickets */
export function drawnFrom(entry: Entry, record: TicketRecord | undefined, isLate: boolean): Entry {
  if (!entry.facts) return entry;
  const facts = record && chainFacts(record, entry.facts);
  if (facts) return { ...entry, ...ofFacts(facts), reading: "chain" };
  return { ...entry, reading: record || isLate ? "server" : "waiting" };
}

function ofFacts(facts: NftFacts) {
  return {
    facts,
    store: facts.store,
    status: facts.status,
    value: facts.valueCents === undefined ? undefined : reaisText(facts.valueCents),
    valueText: facts.valueText,
    percent: facts.cashbackBps === undefined ? undefined : percentText(facts.cashbackBps),
    percentText: facts.percentText,
    wallet: facts.buyer.toLowerCase(),
  };
}

/** 1.0.0 says base and bonus alone. */
export function totalPercent({ total_percent, cashback_percent, bonus_percent }: PurchaseRecord): string {
  return total_percent ?? String(Number(cashback_percent ?? 0) + Number(bonus_percent ?? 0));
}

function fromRecord(purchase: PurchaseRecord): Entry {
  return {
    id: String(purchase.id),
    store: purchase.store,
    status: purchase.status ? statusWord(purchase.status) : readStatus(purchase.stored_status ?? ""),
    value: String(purchase.amount),
    valueText: "",
    percent: totalPercent(purchase),
    percentText: "",
    cashback: purchase.cashback_amount ?? String(purchase.cashback),
    date: purchase.date ?? purchase.created_at ?? "",
    wallet: (purchase.destination ?? "").toLowerCase(),
    nft: undefined,
    facts: undefined,
    reading: undefined,
    purchase,
  };
}

/** Undefined for a confirmed or returned ticket whose purchase is not known: its own page tells whether it is paid. */
export function situationIn({ purchase, status }: Entry): Situation | typeof FOREIGN | undefined {
  if (purchase) return isKeyOf(SITUATIONS, purchase.situation) ? purchase.situation : FOREIGN;
  if (status === "returned") return undefined;
  return status === FOREIGN ? FOREIGN : situationOfTicket(status);
}

/** What a buyer came to owe back, with what is still owed of it, in CHZ, decimal text. */
export type OwedDebt = Debt & { owed: string };

/** A line of the statement: a purchase, a sale in review, or a debt. */
export type Line = { date: string } & (
  | { kind: "purchase"; id: string; entry: Entry }
  | { kind: "review"; id: string; review: Review }
  | { kind: "debt"; id: string; debt: OwedDebt }
);

export function linesOf(
  entries: readonly Entry[],
  { reviews = [], debts = [], statement }: Partial<Pick<Profile, "reviews" | "debts" | "statement">>,
): Line[] {
  const lines: Line[] = [
    ...entries.map((entry) => ({ kind: "purchase" as const, id: entry.id, date: entry.date, entry })),
    ...reviews.map((review) => ({ kind: "review" as const, id: `review-${review.id}`, date: review.at, review })),
    ...owedDebts(debts, statement?.to_offset ?? "0").map((debt) => ({
      ...{ kind: "debt" as const, id: `debt-${debt.purchase_id}-${debt.at}`, date: debt.at, debt },
    })),
  ];
  return lines.sort((a, b) => b.date.localeCompare(a.date));
}

/** Older debts are settled first, so what is left belongs to the newest; they come newest first. */
export function owedDebts(debts: readonly Debt[], toOffset: string): OwedDebt[] {
  let left = gweiFromChzText(toOffset);
  return debts.map((debt) => {
    const amount = gweiFromChzText(debt.amount);
    const owed = amount < left ? amount : left;
    left -= owed;
    return { ...debt, owed: chzTextFromGwei(owed) };
  });
}

/** The figure that a line's amount lies in; undefined for what is over. */
export function figureOf(line: Line): Figure | undefined {
  if (line.kind === "review") return "waiting";
  if (line.kind === "debt") return line.debt.owed === "0" ? undefined : "to_offset";
  const situation = situationIn(line.entry);
  return situation && isKeyOf(SITUATIONS, situation) ? SITUATIONS[situation].figure : undefined;
}

/** What the statement can be narrowed to: a figure, or what was kept for debts. */
export type Shown = Figure | "deducted";
export const isShown = (text: string): text is Shown => text === "deducted" || FIGURES.some((one) => one === text);

function isOf(line: Line, shown: string): boolean {
  if (shown !== "deducted") return figureOf(line) === shown;
  return line.kind === "purchase" && (line.entry.purchase?.kept_amount ?? "0") !== "0";
}

/** What of a line lies in its figure, in CHZ, decimal text: all lines with a figure together are the statement's sum. */
export function amountOf(line: Line): string {
  if (line.kind === "review") return line.review.cashback_amount;
  const situation = line.kind === "purchase" ? situationIn(line.entry) : undefined;
  if (line.kind === "purchase" && (situation === undefined || situation === FOREIGN)) return line.entry.cashback;
  if (figureOf(line) === undefined) return "0";
  if (line.kind === "debt") return `-${line.debt.owed}`;
  const { purchase, cashback } = line.entry;
  if (purchase?.paid_amount) return purchase.paid_amount;
  return chzTextFromGwei(gweiFromChzText(cashback) - gweiFromChzText(purchase?.kept_amount ?? "0"));
}

export const PERIODS = { month: 30, quarter: 90, year: 365 } as const;
export type Filter = { status?: string; store?: string; period?: string; figure?: string | null };

export function filterLines(lines: readonly Line[], filter: Filter, nowMs = Date.now()): Line[] {
  const { period } = filter;
  const since = period && isKeyOf(PERIODS, period) ? nowMs - PERIODS[period] * DAY_MS : undefined;
  return lines.filter(
    (line) =>
      (!filter.status || (line.kind === "purchase" && statusOf(line.entry) === filter.status)) &&
      (!filter.store || storeOf(line) === filter.store) &&
      (!filter.figure || isOf(line, filter.figure)) &&
      (since === undefined || Date.parse(line.date) >= since),
  );
}

function storeOf(line: Line): string {
  if (line.kind === "purchase") return line.entry.store;
  return line.kind === "review" ? line.review.store : line.debt.store;
}

/** Consecutive lines of one month; `month` is a date in it, empty for lines without a date. */
export type Month = { month: string; lines: Line[] };

/** Keeps the given order, newest first. Months are in the user's time zone, not UTC. */
export function byMonth(lines: readonly Line[]): Month[] {
  const months: Month[] = [];
  for (const line of lines) {
    const last = months.at(-1);
    if (last && monthOf(last.month) === monthOf(line.date)) last.lines.push(line);
    else months.push({ month: line.date, lines: [line] });
  }
  return months;
}

function monthOf(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? "" : `${date.getFullYear()}-${date.getMonth()}`;
}

export const ENTRY_STATUSES = [
  ...(["processing", "pending", "confirmed", "paid", "cancelled", "returned"] as const),
] as const satisfies (PurchaseStatus | "paid" | "returned")[];
export type EntryStatus = Entry["status"] | "paid";

/** A confirmed purchase whose cashback has arrived is paid. */
export function statusOf(entry: Entry): EntryStatus {
  const isPaid =
    entry.status === "confirmed" && entry.purchase !== undefined && entry.purchase.cashback_state !== "unpaid";
  return isPaid ? "paid" : entry.status;
}
