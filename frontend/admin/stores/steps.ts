import type { StoreWithCategories } from "../shapes.ts";
import { missingOf } from "./missing.ts";

/** What is left to do until a shopper earns at a store. docs/product.md#panel-catalogue */
export type StoreStep = "rate" | "link" | "advertiser" | "groups" | "click" | "logo" | "test" | "chain_name";

/** Without these it does not sell, or its sales are not recognized. */
export const NEEDED: ReadonlySet<StoreStep> = new Set(["rate", "link", "advertiser", "click", "chain_name"]);

/** What is known of the store's link; undefined while it is not known. */
type Link = { carriesClick: boolean; isTested: boolean } | undefined;

type Stepped = Parameters<typeof missingOf>[0] &
  Pick<StoreWithCategories, "logo"> & {
    cashbacks: readonly Pick<StoreWithCategories["cashbacks"][number], "group_code" | "is_default">[];
  };

/** In the order in which they are best done; none if all is done. */
export function stepsOf(store: Stepped, link: Link): StoreStep[] {
  const missing = new Set<string>(missingOf(store));
  const isNetworks = Boolean(store.network) && store.network !== "direct";
  const isGrouped = store.cashbacks.every((one) => one.group_code || one.is_default);
  const open: Record<StoreStep, boolean> = {
    rate: missing.has("rate"),
    link: missing.has("link"),
    advertiser: isNetworks && !store.advertiser_id,
    click: !missing.has("link") && link?.carriesClick === false,
    // One category takes every sale, whatever its group.
    groups: isNetworks && store.cashbacks.length > 1 && !isGrouped,
    logo: !store.logo,
    test: !missing.has("link") && link?.carriesClick === true && !link.isTested,
    chain_name: missing.has("chain_name"),
  };
  return (Object.keys(open) as StoreStep[]).filter((step) => open[step]);
}
