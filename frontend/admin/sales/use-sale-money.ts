import { useFormat } from "../../i18n/use-format.ts";
import type { Sale } from "../shapes.ts";

/** A sale's amount in reais, otherwise in its own currency. */
export function useSaleMoney(): (sale: Pick<Sale, "amount" | "amount_brl" | "currency">) => string {
  const { brl, decimal } = useFormat();
  return ({ amount, amount_brl, currency }) =>
    amount_brl === null
      ? `${currency} ${decimal(amount)}`
      : currency === "BRL"
        ? brl(amount_brl)
        : `${brl(amount_brl)} (${currency} ${decimal(amount)})`;
}
