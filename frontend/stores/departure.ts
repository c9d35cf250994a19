import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { reaisText } from "../../core/rules/money.ts";
import { SIMULATED_PURCHASE_CENTS } from "../../core/rules/product.ts";
import { isRecord } from "../../core/rules/records.ts";
import { type PurchaseRequest, registerPurchase, type WayOut } from "../api/calls.ts";
import { configQuery } from "../api/queries.ts";
import type { FanToken, Store } from "../api/shapes.ts";
import { endFirstSteps } from "../app/storage.ts";
import { draftKey, readDraft, writeDraft } from "../session/drafts.ts";
import { findLink } from "./link-query.ts";
import { useEarnings } from "./token-choice.ts";

/** A way out to a store that earns cashback: its link, and what was promised. docs/product.md#redirect */
export type Departure = WayOut & {
  /** Percent with its bonus, and reais for a purchase of the simulated amount; decimal text. */
  percent: string;
  reais: string;
  /** Whether the percent is the same in every category. */
  isSure: boolean;
  token: string | undefined;
};

/** In one tab, a store is visited once in this time, however often its page is opened. */
const VISIT_MS = 30 * 60_000;

/** Records a purchase, or in live mode a visit; throws what the call throws. Pressed again, it records nothing twice. */
export function useDeparture(store: Store, link?: string) {
  // Of this dialog: another one is another purchase.
  const [key] = useState(() => crypto.getRandomValues(new Uint32Array(4)).join("-"));
  const earnedWith = useEarnings(store);
  const isSimulated = useQuery(configQuery).data.simulated;
  return async (user: string, token: FanToken | undefined): Promise<Departure> => {
    const { percent, reais, isSure } = earnedWith(token);
    const request = {
      user,
      store_id: /^\d+$/.test(store.id) ? Number(store.id) : store.id,
      amount: Number(reaisText(SIMULATED_PURCHASE_CENTS)),
      ...(token && { token_slug: token.slug }),
    };
    const wayOut = await wayOutOf(request, `${key}-${token?.slug ?? ""}`, { link, isSimulated });
    const departure = { ...wayOut, percent, reais, isSure, token: token?.slug };
    endFirstSteps();
    writeDraft(visitKey(user, store.id), { at: Date.now(), departure });
    return departure;
  };
}

/** To the shop's page that a link names, where there is one; a simulated purchase is recorded as any other. */
async function wayOutOf(
  request: PurchaseRequest,
  key: string,
  { link, isSimulated }: { link: string | undefined; isSimulated: boolean },
): Promise<WayOut> {
  if (link === undefined) return registerPurchase(request, key);
  if (isSimulated) return { ...(await registerPurchase(request, key)), affiliateUrl: link };
  const { amount: _, ...asked } = request;
  const { click } = await findLink({ ...asked, url: link });
  return { affiliateUrl: click?.affiliate_url, purchaseId: undefined };
}

/** From the history entry. */
export function departureOf(state: unknown): Departure | undefined {
  return isRecord(state) && "percent" in state ? (state as Departure) : undefined;
}

/** The last visit of this tab to a store, if it is young enough. */
export function recentDeparture(wallet: string, storeId: string): Departure | undefined {
  const { at, departure } = readDraft(visitKey(wallet, storeId)) ?? {};
  return typeof at === "number" && Date.now() - at < VISIT_MS ? departureOf(departure) : undefined;
}

const visitKey = (wallet: string, storeId: string): string => draftKey(wallet, `visit ${storeId}`);
