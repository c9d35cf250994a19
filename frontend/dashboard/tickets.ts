import type { PurchaseNft } from "../../domain/api/people.ts";
import type { PurchaseRecord } from "../../domain/api/purchases.ts";
import { cashbackGwei } from "../../domain/cashback.ts";
import { chzTextFromGwei, parseDecimal, readPercentText, readReaisText, reaisText } from "../../domain/money.ts";
import { CHZ_DECIMALS, DEFAULT_WEI_PER_CENT } from "../../domain/product.ts";
import type { PurchaseStatus } from "../../domain/purchase/life.ts";
import type { Profile } from "../api/shapes.ts";

/** A ticket's attributes, parsed; a missing Status is Pending. docs/product.md#ticket-attributes. */
export type NftFacts = {
  store: string;
  valueText: string;
  valueCents: bigint | undefined;
  percentText: string;
  cashbackBps: bigint | undefined;
  status: Exclude<PurchaseStatus, "processing">;
  buyer: string;
};

export function nftFacts(nft: PurchaseNft): NftFacts {
  const attribute = (type: string) => nft.metadata.attributes.find((one) => one.trait_type === type)?.value ?? "";
  const valueText = attribute("Valor da Compra");
  const percentText = attribute("Cashback");
  return {
    store: attribute("Loja") || nft.metadata.name || nft.name,
    valueText,
    valueCents: readReaisText(valueText),
    percentText,
    cashbackBps: readPercentText(percentText),
    status: readStatus(attribute("Status")),
    buyer: attribute("Comprador"),
  };
}

/** Pending and Pendente, and Confirmed and Confirmado, are synonyms. */
export function readStatus(text: string): NftFacts["status"] {
  const word = text.trim().toLowerCase();
  if (word.startsWith("confirm")) return "confirmed";
  return word.startsWith("cancel") ? "cancelled" : "pending";
}

export type CashbackSums = {
  totalChz: string;
  pendingChz: string;
  count: number;
  confirmedCount: number;
  pendingCount: number;
};

/** The server's totals, or the sums of the tickets' attributes if it sends none. docs/product.md#cashback-totals. */
export function sumsOf(profile: Profile, weiPerCent = DEFAULT_WEI_PER_CENT): CashbackSums {
  const { totals } = profile;
  if (totals) {
    return {
      totalChz: totals.total,
      pendingChz: totals.pending,
      count: totals.count,
      confirmedCount: totals.confirmed_count,
      pendingCount: totals.pending_count,
    };
  }
  const facts = profile.nfts.map(nftFacts).filter((one) => one.status !== "cancelled");
  const pending = facts.filter((one) => one.status === "pending");
  const sum = (rows: NftFacts[]) =>
    chzTextFromGwei(rows.reduce((total, one) => total + factsGwei(one, weiPerCent), 0n));
  return {
    totalChz: sum(facts),
    pendingChz: sum(pending),
    count: facts.length,
    confirmedCount: facts.length - pending.length,
    pendingCount: pending.length,
  };
}

export function factsGwei({ valueCents, cashbackBps }: NftFacts, weiPerCent = DEFAULT_WEI_PER_CENT): bigint {
  return cashbackGwei({ valueCents: valueCents ?? 0n, totalBps: cashbackBps ?? 0n, weiPerCent });
}

/** The value of CHZ in reais at a rate, decimal text. */
export function reaisOf(chzText: string, weiPerCent: string): string {
  return reaisText(parseDecimal(chzText, CHZ_DECIMALS) / BigInt(weiPerCent));
}

const LIVE_MS = 1_000;
const SLOW_MS = 30_000;
const FRESH_MS = 15 * 60_000;

export function isInFlight(purchase: PurchaseRecord): boolean {
  if (purchase.status === "processing" || purchase.status === "pending") return true;
  return purchase.status === "confirmed" && purchase.cashback_state === "unpaid";
}

/** The polling interval: a second while a new purchase is in progress, otherwise half a minute. */
export function pollIntervalMs(profile: Profile, nowMs = Date.now()): number {
  const isFresh = (one: PurchaseRecord) => isInFlight(one) && nowMs - Date.parse(one.created_at) < FRESH_MS;
  return profile.purchases.some(isFresh) ? LIVE_MS : SLOW_MS;
}

const SETTLED_SHOWN_MS = 60_000;

/** The purchases of the processing strip: in progress, or paid within the last minute. */
export function stripPurchases(profile: Profile, nowMs = Date.now()): PurchaseRecord[] {
  return profile.purchases.filter((one) => {
    if (one.status === "cancelled") return false;
    if (isInFlight(one)) return nowMs - Date.parse(one.created_at) < FRESH_MS;
    return one.paid_at !== null && nowMs - Date.parse(one.paid_at) < SETTLED_SHOWN_MS;
  });
}
