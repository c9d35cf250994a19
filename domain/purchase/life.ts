/**
 * Where a purchase stands, from the buyer's point of view; it only moves forward.
 * `processing`: registered, no NFT yet. `pending`, `confirmed`, `cancelled`: the NFT's status.
 */
export const PURCHASE_STATUSES = ["processing", "pending", "confirmed", "cancelled"] as const;
export type PurchaseStatus = (typeof PURCHASE_STATUSES)[number];

/** The number that the contract stores, by status. `IPurchaseNFT.Status`. */
export const CHAIN_STATUS = { none: 0, pending: 1, confirmed: 2, cancelled: 3 } as const;

export const CASHBACK_STATES = ["unpaid", "paid", "deferred"] as const;
/** `deferred`: the recipient refused the CHZ; it waits in the distributor for them to withdraw. */
export type CashbackState = (typeof CASHBACK_STATES)[number];

const STATUS_BY_CHAIN: Record<number, PurchaseStatus> = { 1: "pending", 2: "confirmed", 3: "cancelled" };

/** The buyer's word for a contract status; a token that does not exist yet is still processing. */
export function purchaseStatusFromChain(status: number | bigint | undefined): PurchaseStatus {
  return STATUS_BY_CHAIN[Number(status ?? 0)] ?? "processing";
}

/** How the NFT's `Status` attribute spells it. Pending by default. docs/product.md#purchase-states. */
export function statusAttribute(status: PurchaseStatus): "Pending" | "Confirmed" | "Cancelled" {
  if (status === "confirmed") return "Confirmed";
  return status === "cancelled" ? "Cancelled" : "Pending";
}

/** How stored records spell it. docs/product.md#purchase-states. */
export function storedStatus(status: PurchaseStatus): "Pendente" | "Confirmado" | "Cancelado" {
  if (status === "confirmed") return "Confirmado";
  return status === "cancelled" ? "Cancelado" : "Pendente";
}
