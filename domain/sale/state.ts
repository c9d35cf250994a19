/**
 * The state of a sale for people. `held`: waits for a person. `unmatched`: has no click. `open`: not approved
 * yet. `payable`: the network pays us for it. `settled`: nothing is left to pay. docs/sales.md#words
 */
export type SaleState = "held" | "unmatched" | "open" | "approved" | "payable" | "declined" | "settled";
