import { updateCategory } from "../../core/catalogue/categories.ts";
import { updateStore } from "../../core/catalogue/store-rows.ts";
import { type CategoryTranslations, listStores, type StoreWithCategories } from "../../core/catalogue/stores.ts";
import type { Database } from "../../core/database/connect.ts";
import { keysOf } from "../../core/rules/records.ts";
import type { NetworkName } from "./networks.ts";

/** The sample stores by network, in their order in the catalogue. */
const NETWORK_OF: readonly NetworkName[] = [
  ...(["awin", "admitad", "direct", "awin", "admitad"] as const),
  ...(["awin", "admitad", "direct"] as const),
];
export const ACCOUNT_OF: Readonly<Record<NetworkName, string>> = { awin: "br", admitad: "main", direct: "shop" };

export const FIRST_ADVERTISER = 17_000;

/** Every sample store sells at the rehearsal's shop, through one of its networks; changes made by an admin stay. */
export async function linkStores({ kysely }: Database, shopUrl: string): Promise<void> {
  for (const [index, network] of NETWORK_OF.entries()) {
    const id = BigInt(index + 1);
    const store = (await listStores(kysely)).find((one) => one.id === id);
    if (!store || (store.network !== null && store.network !== network)) continue;
    await updateStore(kysely, id, {
      network,
      account: ACCOUNT_OF[network],
      advertiser_id: String(FIRST_ADVERTISER + index + 1),
      affiliate_link: `${shopUrl}/shop/${id}?click={click}`,
    });
    await groupCategories({ kysely }, store);
  }
}

/** Each category gets the commission group that the shop reports; the first one is the default for all other groups. */
async function groupCategories({ kysely }: Pick<Database, "kysely">, store: StoreWithCategories): Promise<void> {
  for (const [index, { id, groupCode, category }] of store.categories.entries()) {
    if (groupCode !== null) continue;
    const fields = { groupCode: groupOf(category), isDefault: index === 0 };
    await updateCategory(kysely, { storeId: store.id, categoryId: id }, fields);
  }
}

function groupOf(category: string): string {
  return category
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "-");
}

export type ShopStore = {
  id: number;
  name: string;
  network: NetworkName;
  advertiserId: string;
  categories: (CategoryTranslations & { category: string; group: string; bps: bigint })[];
};

/** The stores linked to this shop. */
export async function listShopStores({ kysely }: Database): Promise<ShopStore[]> {
  return (await listStores(kysely)).flatMap((store) => {
    const network = keysOf(ACCOUNT_OF).find((one) => one === store.network);
    if (!network) return [];
    const categories = store.categories.map(({ groupCode, cashbackBps, ...texts }) => ({
      ...texts,
      group: groupCode ?? "",
      bps: cashbackBps,
    }));
    return [{ id: Number(store.id), name: store.name, network, advertiserId: store.advertiser_id ?? "", categories }];
  });
}
