import { Link } from "react-router";
import type { Statement } from "../../core/rules/api/purchases.ts";
import { byLargestRemainder } from "../../core/rules/largest-remainder.ts";
import { gweiFromChzText, reaisText } from "../../core/rules/money.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import style from "./figures.module.css";
import type { Shown } from "./statement.ts";

const PARTS = ["in_wallet", "on_the_way", "waiting", "deducted"] as const;

/** The cashback total, in CHZ, decimal text, and what it is the sum of; undefined of an answer that does not say so. */
export function equationOf(statement: Statement | undefined) {
  if (!statement) return undefined;
  const { deducted, ...figures } = statement;
  if (deducted === undefined) return undefined;
  const amounts = { ...figures, deducted };
  const { total, parts } = byLargestRemainder(PARTS.map((part) => gweiFromChzText(amounts[part])));
  return {
    total: reaisText(total),
    parts: PARTS.map((part, index) => ({ part, amount: reaisText(parts[index] ?? 0n) })),
  };
}

type FiguresProps = {
  /** Undefined until it is known. */
  statement: Statement | undefined;
  chosen: string | null;
};

/** What the total is the sum of, each part with its purchases; what is owed stands beside it. docs/product.md#statement */
export function Figures({ statement, chosen }: FiguresProps) {
  const t = useText();
  const { decimal, chz, date } = useFormat();
  const equation = equationOf(statement);
  if (statement && !equation) return null;
  const parts = equation?.parts ?? PARTS.map((part) => ({ part, amount: undefined }));
  const owed = statement?.to_offset ?? "0";
  const linkTo = (figure: Shown) => ({ search: figure === chosen ? "" : `?figure=${figure}`, hash: "#tickets" });
  const current = (figure: Shown) => (figure === chosen ? "true" : undefined);
  return (
    <section className={style.equation} aria-label={t("figures.title")}>
      <ul>
        {parts
          .filter(({ part, amount }) => part !== "deducted" || (amount !== undefined && amount !== "0.00"))
          .map(({ part, amount }) => (
            <li key={part}>
              <Link to={linkTo(part)} aria-current={current(part)}>
                <span>{t(`figures.${part}`)}</span>
                <strong className="figures">{amount === undefined ? "—" : decimal(amount)}</strong>
              </Link>
            </li>
          ))}
      </ul>
      {statement?.next_at && <p>{t("figures.on_the_way.next", { date: date(statement.next_at) })}</p>}
      {owed !== "0" && (
        <p>
          <Link to={linkTo("to_offset")} aria-current={current("to_offset")}>
            {t("figures.owed", { amount: chz(owed) })}
          </Link>
        </p>
      )}
    </section>
  );
}
