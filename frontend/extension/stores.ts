/// <reference types="chrome" />
import { REFERRALS } from "../../core/rules/product-link.ts";

/** The site that this build belongs to; the build writes it. */
declare const SITE: string;

/** `claim_days`: how long a visit counts there, where it is not the usual time. */
export type Store = { id: number; name: string; domains: string[]; claim_days?: number };
/** When a store was last left for through Torcida; milliseconds UTC. */
type Started = Record<string, number>;

export const REFRESH_MINUTES = 24 * 60;

const USUAL_DAYS = 60;
const DAY_MS = 86_400_000;

/** Until when a visit counts at most; the store's network may end it sooner. docs/product.md#sales-click */
export const countsUntil = (store: Store, startedAt: number): number =>
  startedAt + (store.claim_days ?? USUAL_DAYS) * DAY_MS;

async function read<T>(key: string, otherwise: T): Promise<T> {
  const kept = await chrome.storage.local.get(key);
  return (kept[key] as T | undefined) ?? otherwise;
}

export const readStores = (): Promise<Store[]> => read<Store[]>("stores", []);

/**
 * The public list of stores' domains, asked for once a day and when the browser starts, never because of a page. Offline, the last one stays.
 * Returns whether there is a new one.
 */
export async function refreshStores(): Promise<boolean> {
  try {
    // The browser asks by the ETag that it knows: a header of ours would need the server's leave.
    const answer = await fetch(`${SITE}/api/stores/domains`, { credentials: "omit", cache: "no-cache" });
    if (!answer.ok) return false;
    const { stores } = (await answer.json()) as { stores: Store[] };
    await chrome.storage.local.set({ stores });
    return true;
  } catch {
    return false;
  }
}

/** The stores of a page, by the longest domain that is its host's or above it. */
export function storesAt(host: string, stores: readonly Store[]): Store[] {
  const labels = host.replace(/\.$/, "").split(".");
  for (let first = 0; first < labels.length - 1; first++) {
    const domain = labels.slice(first).join(".");
    const found = stores.filter(({ domains }) => domains.includes(domain));
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether the address already names somebody who sent its reader. */
export const isReferral = (url: URL): boolean =>
  [...url.searchParams.keys()].some((name) => REFERRALS.test(name.toLowerCase()));

export const readStarted = (store: Store): Promise<number | undefined> =>
  read<Started>("started", {}).then((started) => started[store.id]);

export async function noteStarted(store: Store): Promise<void> {
  const started = await read<Started>("started", {});
  await chrome.storage.local.set({ started: { ...started, [store.id]: Date.now() } });
}
