import { useIntl } from "react-intl";
import type { ClubTable } from "../../core/rules/api/fans.ts";
import type { Heard } from "../api/heard.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";

/** "outubro de 2026" */
export function useMonthName(): (month: string) => string {
  const { locale } = useIntl();
  const format = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  return (month) => format.format(new Date(`${month}-01T00:00:00Z`));
}

/** Clubs by cashback a fan. docs/product.md#fans */
export function ClubMonths({ clubs }: { clubs: Heard<ClubTable>["clubs"] }) {
  const t = useText();
  const { chz } = useFormat();
  return (
    <ol className="plain-list">
      {clubs.map(({ slug, name, fans, purchases, cashback, cashback_per_fan }, index) => (
        <li key={slug}>
          <h3>
            {index + 1}. {name}
          </h3>
          <p>{t("fansTable.perFan", { amount: chz(cashback_per_fan) })}</p>
          <p className="muted">{t("fansTable.sums", { fans, purchases, amount: chz(cashback) })}</p>
        </li>
      ))}
    </ol>
  );
}
