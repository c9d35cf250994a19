import type { HelpTopic } from "../help/help-topics.ts";

/** Every path inside the app. docs/product.md#routes. */
export const paths = {
  home: "/",
  auth: (next?: string) => (next ? `/auth?next=${encodeURIComponent(next)}` : "/auth"),
  stores: "/stores",
  offers: "/offers",
  dashboard: "/dashboard",
  admin: "/admin",
  ticket: (tokenId: string | number) => `/ticket/${tokenId}`,
  store: (storeId: string | number) => `/stores/${encodeURIComponent(storeId)}`,
  /** The same with its buy dialog open. */
  buy: (storeId: string | number) => `/stores/${encodeURIComponent(storeId)}?buy`,
  /** A pasted link, and of several stores at its shop one. */
  go: (url: string, storeId?: string | number) => {
    const query = new URLSearchParams({
      ...(url && { url }),
      ...(storeId !== undefined && { store: String(storeId) }),
    });
    return url ? `/go?${query}` : "/go";
  },
  transaction: (hash: string) => `/tx/${hash}`,
  proof: "/proof",
  proofOf: (wallet: string) => `/proof?wallet=${wallet}`,
  help: (topic?: HelpTopic) => (topic ? `/help/${topic}` : "/help"),
  clubTable: "/clubs/table",
  club: (slug: string) => `/clubs/${slug}`,
  profile: "/profile",
  visits: "/visits",
  redirect: (storeId: string | number) => `/redirect/${storeId}`,
} as const;

/** The target of `?next=`; always inside the app. */
export function safeNext(next: string | null): string {
  return next?.startsWith("/") && !next.startsWith("//") && !next.startsWith("/\\") ? next : paths.dashboard;
}

/** Ids of stores and tickets as used in URLs. */
export const STORE_ID = /^\d+$/;
export const TICKET_ID = /^[1-9]\d{0,14}$/;
