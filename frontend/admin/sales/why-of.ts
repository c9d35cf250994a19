import { sayHolds } from "../../../domain/sale/hold-words.ts";
import type { Sale } from "../shapes.ts";

/** Why a sale is held, or the reason that a person or the network gave. */
export const whyOf = ({ held_for, reason }: Pick<Sale, "held_for" | "reason">): string | null =>
  held_for.length > 0 ? sayHolds(held_for, "pt") : reason;
