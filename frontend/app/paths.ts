/** Every address inside the app, in one place. docs/product.md#routes. */
export const paths = {
  home: "/",
  auth: (next?: string) => (next ? `/auth?next=${encodeURIComponent(next)}` : "/auth"),
  stores: "/stores",
  dashboard: "/dashboard",
  admin: "/admin",
  redirect: (storeId: string | number) => `/redirect/${storeId}`,
} as const;

/** Where `?next=` leads; only ever inside the app. */
export function safeNext(next: string | null): string {
  return next?.startsWith("/") && !next.startsWith("//") && !next.startsWith("/\\") ? next : paths.dashboard;
}
