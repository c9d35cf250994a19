import type { AuditLogEntry, Overview } from "../../domain/api/administration.ts";
import { ApiError, call } from "../api/http.ts";

/** The result of the store and fan-token helpers, which never throw. docs/product.md#error-helpers. */
export type Outcome = {
  success: boolean;
  message: string;
  /** Why it failed. */
  error?: unknown;
  /** The id of a created row. */
  id?: string;
};

export type StoreFields = {
  name: string;
  country: string;
  club: string;
  category: string;
  description: string;
  logo: string;
  affiliate_link: string;
  featured: boolean;
};
export type CashbackFields = { category: string; cashback_percent: string };
export type FanTokenFields = { id?: string; name: string; slug: string; image: string };

async function attempt(method: string, path: string, body: unknown, fallback: string): Promise<Outcome> {
  try {
    const { message = "", id } = await call<{ message?: string; id?: string | number }>(method, path, body);
    return { success: true, message, ...(id !== undefined && { id: String(id) }) };
  } catch (error) {
    return { success: false, message: error instanceof ApiError ? error.message : fallback, error };
  }
}

/** Optional fields are sent only with a value. docs/product.md#store. */
export function nonEmpty<T extends Record<string, unknown>>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== "" && value !== false),
  ) as Partial<T>;
}

export const createStore = (fields: StoreFields) =>
  attempt("POST", "/api/store", nonEmpty(fields), "Failed to create store");

/** Sends the changed fields; null clears an emptied one. */
export function updateStore(id: string, before: StoreFields, after: StoreFields): Promise<Outcome> {
  const changed = Object.entries(after).filter(([key, value]) => value !== before[key as keyof StoreFields]);
  const body = {
    name: after.name,
    country: after.country,
    ...Object.fromEntries(changed.map(([key, value]) => [key, value === "" ? null : value])),
  };
  return attempt("PUT", `/api/store/${id}`, body, "Failed to update store");
}

export const deleteStore = (id: string) => attempt("DELETE", `/api/store/${id}`, undefined, "Failed to delete store");

export const addCashback = (storeId: string, fields: CashbackFields) =>
  attempt("POST", `/api/store/${storeId}/cashback`, fields, "Failed to add cashback");

export const updateCashback = (storeId: string, id: string, fields: CashbackFields) =>
  attempt("PUT", `/api/store/${storeId}/cashback/${id}`, nonEmpty(fields), "Failed to update cashback");

export const deleteCashback = (storeId: string, id: string) =>
  attempt("DELETE", `/api/store/${storeId}/cashback/${id}`, undefined, "Failed to delete cashback");

export const saveFanToken = ({ id, ...fields }: FanTokenFields) =>
  attempt(
    "POST",
    "/api/admin/fan-token",
    id ? { id: /^\d+$/.test(id) ? Number(id) : id, ...fields } : fields,
    "Failed to create/update fan token",
  );

export const deleteFanToken = (id: string) =>
  attempt("DELETE", `/api/admin/fan-token/${id}`, undefined, "Failed to delete fan token");

export async function getOverview({ signal }: { signal?: AbortSignal } = {}): Promise<Overview> {
  return (await call<{ data: Overview }>("GET", "/api/admin/overview", undefined, signal)).data;
}

export type AuditPage = { rows: AuditLogEntry[]; next_before: number | null };

export function getAuditLog(before: number | null, signal?: AbortSignal): Promise<AuditPage> {
  return call("GET", `/api/admin/audit-log${before === null ? "" : `?before=${before}`}`, undefined, signal);
}
