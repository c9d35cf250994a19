/**
 * The status of a purchase as its buyer sees it; it only moves forward. `processing`: registered, no ticket yet.
 * `pending`, `confirmed`, `cancelled`: the ticket's status. docs/product.md#purchase-states.
 */
export const PURCHASE_STATUSES = ["processing", "pending", "confirmed", "cancelled"] as const;
export type PurchaseStatus = (typeof PURCHASE_STATUSES)[number];

/** The contract's number of each status. `IPurchaseNFT.Status`. */
export const CHAIN_STATUS = { none: 0, pending: 1, confirmed: 2, cancelled: 3 } as const;

export const CASHBACK_STATES = ["unpaid", "paid", "deferred"] as const;
/** `deferred`: the recipient refused the CHZ, which is now a credit to withdraw. docs/product.md#payout-deferred. */
export type CashbackState = (typeof CASHBACK_STATES)[number];

const STATUS_BY_CHAIN: Record<number, PurchaseStatus> = { 1: "pending", 2: "confirmed", 3: "cancelled" };

/** The purchase's status for a contract status; `processing` until the ticket exists. */
export function purchaseStatusFromChain(status: number | bigint | undefined): PurchaseStatus {
  return STATUS_BY_CHAIN[Number(status ?? 0)] ?? "processing";
}

/** The spelling in the ticket's `Status` attribute, Pending by default. docs/product.md#purchase-states. */
export function statusAttribute(status: PurchaseStatus): "Pending" | "Confirmed" | "Cancelled" {
  if (status === "confirmed") return "Confirmed";
  return status === "cancelled" ? "Cancelled" : "Pending";
}

/** The spelling in stored records. docs/product.md#purchase-states. */
export function storedStatus(status: PurchaseStatus): "Pendente" | "Confirmado" | "Cancelado" {
  if (status === "confirmed") return "Confirmado";
  return status === "cancelled" ? "Cancelado" : "Pendente";
}
