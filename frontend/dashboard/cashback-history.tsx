import { useState } from "react";
import { FormattedMessage } from "react-intl";
import type { PurchaseRecord } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { statusWord } from "../i18n/situation-word.ts";
import { useFormat } from "../i18n/use-format.ts";
import { Card } from "../ui/card.tsx";
import { useIsPhone } from "../ui/use-is-phone.ts";
import style from "./cashback-history.module.css";

/** With more bars, their figures would overlap. */
const SHOWN = 9;
const PHONE_SHOWN = 6;
/** The labels above and below a bar: its figure and its month. */
const WORDS = "2.9rem";

type Purchases = { purchases: readonly PurchaseRecord[] };

/** Cashback of the last purchases as bars, with the same figures as a table. */
export function CashbackHistory({ purchases }: Purchases) {
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  const shown = purchases
    .filter((one) => one.status !== "cancelled" && one.date)
    .sort((a, b) => a.date.localeCompare(b.date))
    .slice(isPhone ? -PHONE_SHOWN : -SHOWN);
  // One alone is on its ticket.
  if (shown.length < 2) return null;
  return (
    <Card
      title={
        <>
          <FormattedMessage id="history.title" /> <span className={style.unit}>(CHZ)</span>
        </>
      }
    >
      <Bars purchases={shown} />
      <details className="rates" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <FormattedMessage id="history.table" />
        </summary>
        {isOpen && <Figures purchases={shown} />}
      </details>
    </Card>
  );
}

function Bars({ purchases }: Purchases) {
  const t = useText();
  const { decimal, month } = useFormat();
  const highest = Math.max(...purchases.map((one) => Number(one.cashback_amount)), 0.01);
  return (
    <div className={style.chart} role="img" aria-label={t("history.label", { count: purchases.length })}>
      {purchases.map((one, index) => (
        <div key={one.id} className={style.column}>
          <span className={style.value}>{decimal(one.cashback_amount)}</span>
          <span
            className={style.bar}
            data-state={one.status === "confirmed" ? "paid" : "pending"}
            style={{ height: `calc((100% - ${WORDS}) * ${Math.max(0.03, Number(one.cashback_amount) / highest)})` }}
          />
          <span className={style.month}>
            {month(one.date) !== month(purchases[index - 1]?.date) && month(one.date)}
          </span>
        </div>
      ))}
    </div>
  );
}

function Figures({ purchases }: Purchases) {
  const t = useText();
  const { chz, date } = useFormat();
  return (
    <div className="table-wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">{t("ticket.date")}</th>
            <th scope="col">{t("history.store")}</th>
            <th scope="col">{t("history.status")}</th>
            <th scope="col" className="numeric">
              {t("ticket.cashback")}
            </th>
          </tr>
        </thead>
        <tbody>
          {purchases.map((one) => (
            <tr key={one.id}>
              <td>{date(one.date)}</td>
              <th scope="row">{one.store}</th>
              <td>{t(`status.${statusWord(one.status)}`)}</td>
              <td className="numeric figures">{chz(one.cashback_amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
