import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { Statement } from "../../core/rules/api/purchases.ts";
import { parseDecimal, reaisText } from "../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../core/rules/product.ts";
import { FIGURES, type Figure } from "../../core/rules/purchase/situation.ts";
import { configQuery } from "../api/queries.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";

type FiguresProps = {
  statement: Statement;
  chosen: string | null;
  /** The cashback total above them, in CHZ; undefined if it is not known. */
  total: string | undefined;
};

/** Where a buyer's cashback is: four figures that add up, each with its purchases. docs/product.md#statement */
export function Figures({ statement, chosen, total }: FiguresProps) {
  const t = useText();
  const { chz, brl, date } = useFormat();
  const { wei_per_cent } = useQuery(configQuery).data;
  /** Of what is owed too, which is below zero. */
  const reais = (amount: string) => {
    const cents = parseDecimal(amount.replace("-", ""), CHZ_DECIMALS) / BigInt(wei_per_cent);
    return t("dashboard.total.reais", { amount: brl(reaisText(amount.startsWith("-") ? -cents : cents)) });
  };
  const amountOf = (figure: Figure) =>
    figure === "to_offset" && statement.to_offset !== "0" ? `-${statement.to_offset}` : statement[figure];
  const noteOf = (figure: Figure) =>
    figure === "on_the_way" && statement.next_at
      ? t("figures.on_the_way.next", { date: date(statement.next_at) })
      : t(`figures.${figure}.note`);
  return (
    <section className="money" aria-labelledby="money">
      <h2 id="money" className="card-title">
        {t("figures.title")}
      </h2>
      <ul className="money-figures">
        {FIGURES.map((figure) => (
          <li key={figure} data-figure={figure}>
            <Link
              to={{ search: figure === chosen ? "" : `?figure=${figure}`, hash: "#tickets" }}
              aria-current={figure === chosen ? "true" : undefined}
            >
              <span className="money-name">{t(`figures.${figure}`)}</span>
              <strong className="figures">{chz(amountOf(figure))}</strong>
              <span className="muted figures">{reais(amountOf(figure))}</span>
              <span className="money-note">{noteOf(figure)}</span>
            </Link>
          </li>
        ))}
      </ul>
      <p className="money-sum">
        {t("figures.sum")} <strong className="figures">{chz(statement.sum)}</strong>{" "}
        <span className="muted figures">{reais(statement.sum)}</span>
      </p>
      {total !== undefined && total !== statement.sum && <p className="muted">{t("figures.sum.other")}</p>}
    </section>
  );
}
