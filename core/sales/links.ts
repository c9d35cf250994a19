import { type AffiliateAccount, isCalled, polledAccounts } from "./accounts.ts";
import { findNetwork } from "./networks.ts";

export type LinkedStore = {
  affiliate_link: string | null;
  network: string | null;
  account: string | null;
  advertiser_id: string | null;
  link_code: string | null;
  store_url: string | null;
};

const CLICK = "{click}";
const PAGE = "{url}";

/**
 * The buyer's link to a store: the store's own template, else its network's link, with the click by which the network
 * reports sales. Null if there is neither. It leads to a page of the shop where the template or the network can say which,
 * else to the shop's first page. docs/product.md#sales-links
 */
export function linkOf(
  store: LinkedStore,
  click: string,
  accounts: readonly AffiliateAccount[],
  page: string | undefined = store.store_url ?? undefined,
): string | null {
  if (store.affiliate_link !== null) return fillTemplate(store.affiliate_link, click, page ?? "");
  const { network: name, advertiser_id: ids, link_code: code, store_url: storeUrl } = store;
  const advertiserId = (code ?? ids?.split(",")[0] ?? "").trim();
  const network = name === null ? undefined : findNetwork(name);
  const ofNetwork = polledAccounts(accounts).filter((one) => one.network === name);
  const account =
    store.account === null && ofNetwork.length === 1
      ? ofNetwork[0]
      : ofNetwork.find((one) => isCalled(one, store.account));
  if (!network || !account || advertiserId === "" || storeUrl === null) return null;
  return network.buildLink(account, { advertiserId, storeUrl: page ?? storeUrl, click }) ?? null;
}

function fillTemplate(template: string, click: string, page: string): string {
  const filled = template.replaceAll(PAGE, () => encodeURIComponent(page));
  if (template.includes(CLICK)) return filled.replaceAll(CLICK, encodeURIComponent(click));
  const url = new URL(filled);
  url.searchParams.set("click_id", click);
  return url.toString();
}
