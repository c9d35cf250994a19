import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AuditLogEntry, auditLogEntrySchema } from "../../../core/rules/api/administration.ts";
import { fanTokensQuery, namedStoresQuery } from "../../api/queries.ts";
import { WalletName } from "../facts.tsx";
import { networkName } from "../words.ts";
import type { Names } from "./log-words.ts";

export const LOG = { path: "/api/admin/audit-log", row: auditLogEntrySchema };

/** Whose wallet it was, or a program's name. */
export function Actor({ name }: { name: string }) {
  if (name.startsWith("0x")) return <WalletName address={name} />;
  const [, network = "", account] = /^network:([^/]+)\/(.+)$/.exec(name) ?? [];
  return account === undefined ? name : <strong>{`${networkName(network)} (${account})`}</strong>;
}

/** The API takes no more at once. */
const IDS_ASKED = 100;

/** The stores that entries of the log are about. */
export function storeIdsOf(entries: readonly AuditLogEntry[]): string[] {
  const ids = entries.flatMap(({ subject }) => /^store:(\d{1,15})/.exec(subject)?.[1] ?? []);
  return [...new Set(ids)].slice(0, IDS_ASKED);
}

/** Names of the stores with these ids, of their categories, and of fan tokens, as they are now. */
export function useNames(storeIds: readonly string[]): Names {
  const { data: page } = useQuery(namedStoresQuery(storeIds));
  const { data: tokens } = useQuery(fanTokensQuery);
  return useMemo(() => {
    const byId = new Map(page?.stores.map((store) => [store.id, store]));
    const tokenNames = new Map(tokens?.map((token) => [token.id, token.name]));
    return {
      store: (id) => byId.get(id)?.name,
      category: (storeId, id) => byId.get(storeId)?.cashbacks.find((one) => one.id === id)?.category,
      fanToken: (id) => tokenNames.get(id),
    };
  }, [page, tokens]);
}
