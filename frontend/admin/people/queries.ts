import { queryOptions } from "@tanstack/react-query";
import { adminUserResponseSchema, namesResponseSchema } from "../../../core/rules/api/admin-people.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";
import { t } from "../texts.ts";
import { roleName } from "../words.ts";

/** The wallets that are asked about in the same moment go in one call. */
let asking: { wallets: Set<string>; names: Promise<Map<string, string>> } | undefined;
const TOGETHER_MS = 10;
const ASKED_AT_ONCE = 100;

async function askNames(wallets: readonly string[]): Promise<Map<string, string>> {
  const { names } = await ask(namesResponseSchema, `/api/admin/names?wallets=${wallets.join(",")}`);
  return new Map(
    names.map(({ wallet, name, role }) => [wallet, name || (role ? t("person.team", { role: roleName(role) }) : "")]),
  );
}

async function nameOf(wallet: string): Promise<string> {
  if (!asking || asking.wallets.size === ASKED_AT_ONCE) {
    const wallets = new Set<string>();
    const names = new Promise((resolve) => setTimeout(resolve, TOGETHER_MS)).then(() => {
      if (asking?.wallets === wallets) asking = undefined;
      return askNames([...wallets]);
    });
    asking = { wallets, names };
  }
  asking.wallets.add(wallet);
  return (await asking.names).get(wallet) ?? "";
}

/** Whose wallet it is; empty if nobody knows. */
export const walletNameQuery = (wallet: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "name", wallet],
    queryFn: () => nameOf(wallet),
    staleTime: 60_000,
    retry: false,
  });

export const userQuery = (wallet: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "user", wallet],
    queryFn: async ({ signal }) => (await ask(adminUserResponseSchema, `/api/admin/users/${wallet}`, { signal })).user,
    staleTime: 0,
  });
