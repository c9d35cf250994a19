import type { SaleStatus } from "./report.ts";

/**
 * The state of a sale as the panel shows it. `held`: waits for a person. `unmatched`: its buyer is unknown. `open`: not
 * approved yet. `payable`: the network pays us for it. `settled`: nothing is left to pay. docs/product.md#sales-words
 */
export const SALE_STATES = ["held", "unmatched", "open", "approved", "payable", "declined", "settled"] as const;
export type SaleState = (typeof SALE_STATES)[number];

/** The state of a sale; the first condition that applies decides. docs/product.md#sales-states */
export function saleState(sale: {
  status: SaleStatus | "unknown";
  isHeld: boolean;
  hasBuyer: boolean;
  isPayable: boolean;
  isSettled: boolean;
}): SaleState {
  if (sale.status === "declined") return "declined";
  if (!sale.hasBuyer) return "unmatched";
  if (sale.isHeld) return "held";
  if (sale.status !== "approved") return "open";
  if (!sale.isPayable) return "approved";
  return sale.isSettled ? "settled" : "payable";
}
