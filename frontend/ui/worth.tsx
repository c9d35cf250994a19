import { useQuery } from "@tanstack/react-query";
import { worthCents } from "../../core/rules/cashback.ts";
import { gweiFromChzText, reaisText } from "../../core/rules/money.ts";
import { configQuery } from "../api/queries.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";

type WorthProps = {
  /** CHZ, decimal text. */
  amount: string;
  /** Reais on the day of the payment, decimal text; null if no rate of it is known. */
  value: string | null;
  /** The earlier day whose rate that is. */
  rateDay: string | null;
  /** In a sentence, not in lines of its own. */
  isInline?: boolean;
};

/** What a payment was worth in reais on its day, and is today. docs/product.md#worth */
export function Worth({ amount, value, rateDay, isInline = false }: WorthProps) {
  const t = useText();
  const { brl, date } = useFormat();
  const { is_rate_known, wei_per_cent } = useQuery(configQuery).data;
  const today = worthCents(gweiFromChzText(amount), BigInt(wei_per_cent));
  return (
    <>
      {value !== null && (
        <span className="muted figures">
          {t("worth.then", { amount: brl(value) })}
          {rateDay && ` (${t("worth.earlier", { day: date(rateDay) })})`}
        </span>
      )}
      {isInline && value !== null && is_rate_known && " · "}
      {is_rate_known && <span className="muted figures">{t("worth.today", { amount: brl(reaisText(today)) })}</span>}
    </>
  );
}
