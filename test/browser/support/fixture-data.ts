import type { z } from "zod";
import { BUILT_IN_CLUBS } from "../../../core/database/built-in-clubs.ts";
import {
  CATEGORY_TRANSLATIONS,
  type FanToken,
  RARE_STORE_TEXTS,
  type Store,
} from "../../../core/rules/api/catalogue.ts";
import type { Club } from "../../../core/rules/api/clubs.ts";
import type { AppConfig } from "../../../core/rules/api/config.ts";
import type { eventSchema } from "../../../core/rules/api/events.ts";
import type { PaymentsOfYear } from "../../../core/rules/api/payments.ts";
import type { Me, PublicTicket, PurchaseNft } from "../../../core/rules/api/people.ts";
import type { PurchaseRecord } from "../../../core/rules/api/purchases.ts";
import type { claimSchema, clickSchema } from "../../../core/rules/api/sales.ts";
import { cashbackRange, cashbackRangeText } from "../../../core/rules/cashback.ts";
import { SAMPLE_STORES } from "../../../core/rules/catalogue-samples.ts";
import { clubKey, clubsByName } from "../../../core/rules/clubs/club.ts";
import { EVENT_KINDS } from "../../../core/rules/events.ts";
import { DAY_MS } from "../../../core/rules/iso-time.ts";
import { percentText } from "../../../core/rules/money.ts";
import { CHAIN_IDS } from "../../../core/rules/networks.ts";
import type { Situation } from "../../../core/rules/purchase/situation.ts";
import { keysOf, recordOf } from "../../../core/rules/records.ts";

/** Responses in the API's format, chosen by the test. */

const CLUBS = clubsByName(BUILT_IN_CLUBS);

export function fixtureClub(slug: string): Club | undefined {
  const club = BUILT_IN_CLUBS.find((one) => one.slug === slug);
  return club && { ...club, aliases: [...club.aliases], colours: [...club.colours], token_slug: null };
}

export function fixtureStores(): Store[] {
  return SAMPLE_STORES.map((sample, index) => {
    const bps = sample.cashbacks.map((one) => one.cashbackBps);
    const range = cashbackRange(bps) ?? { minBps: 0n, maxBps: 0n };
    return {
      id: index + 1,
      name: sample.name,
      country: sample.country,
      club: sample.club,
      club_slug: CLUBS.get(clubKey(sample.club ?? ""))?.slug ?? null,
      category: sample.category,
      description: sample.description,
      ...given(recordOf(keysOf(RARE_STORE_TEXTS), (name) => sample[name] ?? null)),
      logo: null,
      featured: sample.featured,
      is_draft: false,
      affiliate_link: `${sample.affiliateLink}?from=api`,
      network: null,
      account: null,
      advertiser_id: null,
      link_code: null,
      merchant: null,
      store_url: null,
      mint_delay_seconds: null,
      hold_seconds: null,
      claim_days: null,
      cashback: cashbackRangeText(bps),
      cashback_min: Number(percentText(range.minBps)),
      cashback_max: Number(percentText(range.maxBps)),
      max_cashback: Number(percentText(range.maxBps)),
      cashbacks: sample.cashbacks.map((one, at) => ({
        id: index * 10 + at + 1,
        category: one.category,
        ...given(recordOf(CATEGORY_TRANSLATIONS, (name) => one[name] ?? null)),
        cashback_percent: percentText(one.cashbackBps),
      })),
    };
  });
}

const given = (texts: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== null));

export const fixtureTokens = (): FanToken[] => [
  { id: 1, name: "Paris Saint-Germain", slug: "psg", image: "", symbol: "PSG", contract: `0x${"a1".repeat(20)}` },
  { id: 2, name: "Palmeiras", slug: "verdao", image: "", symbol: "VERDAO", contract: `0x${"a2".repeat(20)}` },
];

export const fixtureConfig = (): AppConfig => ({
  chain_id: CHAIN_IDS.spicy,
  network: "localhost",
  rpc_url: "http://127.0.0.1:9",
  explorer_url: "https://explorer.example",
  purchase_nft: `0x${"11".repeat(20)}`,
  cashback_distributor: `0x${"22".repeat(20)}`,
  former_purchase_nfts: [],
  former_distributors: [],
  start_block: 0,
  simulated: true,
  mail: true,
  vapid_public_key: null,
  auth_mode: "compat",
  bonus_program: "club",
  support_contact: null,
  is_rate_known: true,
  wei_per_cent: "10000000000000000",
});

const hash = (digit: string): string => `0x${digit.repeat(64)}`;

function usualSituation({ status = "confirmed", cashback_state = "paid" }: Partial<PurchaseRecord>): Situation {
  if (status === "confirmed") return cashback_state === "unpaid" ? "paying" : "paid";
  return ({ processing: "recorded", pending: "awaiting_store", cancelled: "declined" } as const)[status];
}

export function fixturePurchase(change: Partial<PurchaseRecord> & { id: number }): PurchaseRecord {
  return {
    store_id: 2,
    amount: "100.00",
    cashback_percent: "7",
    bonus_percent: "0",
    token_slug: "psg",
    status: "confirmed",
    created_at: "2026-05-02T12:00:00.000Z",
    store: "Boutique Parisienne",
    date: "2026-05-02T12:00:00.000Z",
    cashback: 7,
    tokenType: "PSG",
    destination: `0x${"ab".repeat(20)}`,
    stored_status: "Confirmado",
    situation: usualSituation(change),
    paid_amount: "7",
    kept_amount: "0",
    corrected_from: null,
    cashback_amount: "7",
    cashback_state: "paid",
    token_id: String(change.id),
    mint_tx: hash("a"),
    status_tx: hash("b"),
    payment_tx: hash("c"),
    minted_at: "2026-05-02T12:00:05.000Z",
    confirmed_at: "2026-05-02T12:00:10.000Z",
    paid_at: "2026-05-02T12:00:15.000Z",
    expected_at: null,
    paid_value: null,
    paid_rate_day: null,
    usual_at: null,
    ...change,
  };
}

export function fixtureNft(purchase: PurchaseRecord, wallet: string): PurchaseNft {
  const total = Number(purchase.cashback_percent) + Number(purchase.bonus_percent);
  const status =
    purchase.status === "confirmed" ? "Confirmed" : purchase.status === "cancelled" ? "Cancelled" : "Pending";
  return {
    tokenId: String(purchase.id),
    txHash: purchase.mint_tx ?? "",
    contract: `0x${"11".repeat(20)}`,
    name: "Torcida Purchase",
    symbol: "TORCIDA",
    metadata: {
      name: `Compra nº ${purchase.id}`,
      image: `/api/nfts/${purchase.id}/image`,
      description: "Recibo de compra",
      attributes: [
        { trait_type: "Loja", value: purchase.store },
        { trait_type: "Valor da Compra", value: purchase.amount },
        { trait_type: "Cashback", value: `${total}%` },
        { trait_type: "Status", value: status },
        { trait_type: "Comprador", value: wallet },
        {
          trait_type: "Bônus",
          value: `${purchase.bonus_percent}%${Number(purchase.bonus_percent) > 0 ? " (incluído)" : ""}`,
        },
      ],
    },
  };
}

/** A profile with one confirmed and paid, one pending and one processing purchase. */
export function fixtureMe(wallet: string, change: Partial<Me> = {}): Me {
  const purchases = [
    fixturePurchase({ id: 1, destination: wallet }),
    fixturePurchase({
      id: 2,
      destination: wallet,
      store: "Verdão Store",
      store_id: 1,
      cashback_percent: "5",
      bonus_percent: "2",
      token_slug: "verdao",
      tokenType: "VERDAO",
      status: "pending",
      stored_status: "Pendente",
      cashback_state: "unpaid",
      situation: "awaiting_store",
      paid_amount: null,
      confirmed_at: null,
      paid_at: null,
      status_tx: null,
      payment_tx: null,
    }),
  ];
  return {
    wallet,
    email: "ana@example.com",
    first_name: "Ana",
    last_name: "Maria Silva",
    nativeBalance: "10.5",
    tokens: [
      { symbol: "PSG", balance: "12.5", decimals: 0, contract: "" },
      { symbol: "VERDAO", balance: "50", decimals: 0, contract: "" },
    ],
    nfts: purchases.map((one) => fixtureNft(one, wallet)),
    purchases,
    totals: { total: "14", confirmed: "7", pending: "7", paid: "7", count: 2, confirmed_count: 1, pending_count: 1 },
    statement: {
      in_wallet: "7",
      on_the_way: "0",
      waiting: "7",
      to_offset: "0",
      deducted: "0",
      total: "14",
      sum: "14",
      next_at: null,
    },
    reviews: [],
    debts: [],
    ...change,
  };
}

/** The public view of a paid ticket. */
export function fixtureTicket(tokenId: string): PublicTicket {
  const purchase = fixturePurchase({ id: Number(tokenId), store: "Verdão Store", status: "confirmed" });
  const moment = (digit: string) => ({ at: "2026-05-02T12:00:00.000Z", tx: hash(digit) });
  return {
    ...fixtureNft(purchase, `0x${"ab".repeat(20)}`),
    store_id: 1,
    status: "confirmed",
    minted: moment("a"),
    settled: moment("b"),
    paid: { ...moment("c"), amount: "7", value: "2.31", rate_day: null },
    is_over: true,
  };
}

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** Visits: a fresh one, one that can be claimed, one with a sale, an expired one. */
/** Three payments this year, of which one has no rate and one an earlier day's, and none before. */
export function fixturePayments(year: number): PaymentsOfYear {
  const years = { year, years: [2026, 2025] };
  if (year !== 2026)
    return { ...years, count: 0, amount: "0", value: "0.00", without_rate: 0, earlier_rate: 0, value_today: "0.00" };
  return { ...years, count: 3, amount: "12.5", value: "4.20", without_rate: 1, earlier_rate: 1, value_today: "11.00" };
}

export function fixtureClicks(): z.infer<typeof clickSchema>[] {
  const visit = (letter: string, days: number, store: string, sales: number) => ({
    id: letter.repeat(26),
    store_id: letter.charCodeAt(0) - 96,
    store,
    token_slug: letter === "b" ? "psg" : null,
    created_at: daysAgo(days),
    expires_at: daysAgo(days - 90),
    sales,
    declined: letter === "d" ? 1 : 0,
    amount: sales > 0 ? "249.90" : null,
    cashback: sales > 0 ? "17.493" : null,
    claimable_at: daysAgo(days - 7),
    usual_days: letter === "a" ? 2 : null,
  });
  return [
    visit("a", 1, "Curva Sud Moda", 0),
    visit("b", 12, "Verdão Store", 0),
    visit("c", 30, "Mercado da Bola", 1),
    visit("d", 120, "Terrace Coffee", 2),
  ];
}

/** An event of each kind, the first three unread. */
export function fixtureEvents(): z.infer<typeof eventSchema>[] {
  return EVENT_KINDS.map((kind, index) => ({
    id: 100 - index,
    kind,
    purchase_id: kind.startsWith("claim") ? null : 2,
    store: index % 2 ? "Mercado da Bola" : "Verdão Store",
    value: "1249.90",
    amount: ["confirmed", "paid", "credit", "debt"].includes(kind) ? "87.493" : null,
    reason: kind === "claim_refused" ? "O pedido foi cancelado na loja." : null,
    is_read: index > 2,
    created_at: daysAgo(index),
  }));
}

/** A claim in each state. */
export function fixtureClaims(): z.infer<typeof claimSchema>[] {
  const claim = (id: number, state: "open" | "matched" | "refused", reason: string | null) => ({
    id,
    store_id: 1,
    store: "Verdão Store",
    click_id: "b".repeat(26),
    order_ref: `VS-${1000 + id}`,
    amount: "249.90",
    date: daysAgo(12).slice(0, 10),
    note: null,
    state,
    reason,
    created_at: daysAgo(2),
    answer_by: daysAgo(-8),
    has_picture: state === "open",
    decided_at: state === "open" ? null : daysAgo(1),
  });
  return [claim(3, "open", null), claim(2, "refused", "O pedido foi cancelado na loja."), claim(1, "matched", null)];
}
