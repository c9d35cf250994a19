import { startTransition, useState } from "react";
import { Link } from "react-router";
import type { Review } from "../../core/rules/api/purchases.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import rowStyle from "../ui/statement-rows.module.css";
import { Stamp } from "../ui/ticket.tsx";
import { PaidWorth, Unchecked, Why } from "./entry-why.tsx";
import { OfTicket } from "./of-ticket.tsx";
import { amountOf, byMonth, type Entry, type Line, type OwedDebt } from "./statement.ts";
import style from "./statement-lines.module.css";

const NftDetails = fetchedDialog(() => import("./nft-details.tsx"));

export function Months({ lines }: { lines: readonly Line[] }) {
  const t = useText();
  const { monthAndYear } = useFormat();
  return (
    <>
      {byMonth(lines).map(({ month, lines: ofMonth }) => (
        <div key={month} className={style.month}>
          <h4>{month ? monthAndYear(month) : t("statement.undated")}</h4>
          <ol className={`card ${rowStyle.rows}`}>
            {ofMonth.map((line) => (
              <li key={line.id}>
                {line.kind === "purchase" ? (
                  <StatementRow entry={line.entry} amount={amountOf(line)} />
                ) : line.kind === "debt" ? (
                  <DebtRow debt={line.debt} amount={amountOf(line)} />
                ) : (
                  <ReviewRow review={line.review} />
                )}
              </li>
            ))}
          </ol>
        </div>
      ))}
    </>
  );
}

/** What is kept from later cashback, because a purchase was returned after its payout. */
function DebtRow({ debt, amount }: { debt: OwedDebt; amount: string }) {
  const t = useText();
  const { chz, date } = useFormat();
  const isOver = debt.owed === "0";
  return (
    <article className={`${rowStyle.row} ${style.row}`} data-status={isOver ? "settled" : "debt"}>
      <div className={style.store}>
        <h5>{debt.store}</h5>
        <p className="muted dotted">
          <span>{t("debt.of", { id: debt.purchase_id })}</span> <time dateTime={debt.at}>{date(debt.at)}</time>
        </p>
        <p className={style.why}>{isOver ? t("debt.over") : t("debt.why", { owed: chz(debt.owed) })}</p>
      </div>
      <p className={`${rowStyle.money} ${style.money}`}>
        <strong className="figures">{chz(amount)}</strong>
        {debt.owed !== debt.amount && (
          <span className="muted figures">{t("debt.was", { amount: chz(debt.amount) })}</span>
        )}
      </p>
      <Stamp kind={isOver ? "confirmed" : "pending"}>{t(isOver ? "debt.settled" : "debt.open")}</Stamp>
      <div className={style.actions}>
        <Link className="link" to={paths.ticket(String(debt.purchase_id))}>
          {t("ticket.page")}
          <OfTicket id={String(debt.purchase_id)} />
        </Link>
      </div>
    </article>
  );
}

/** A sale without a ticket, since it is held for a person. */
function ReviewRow({ review }: { review: Review }) {
  const t = useText();
  const { chz, brl, date } = useFormat();
  return (
    <article className={`${rowStyle.row} ${style.row}`} data-status="pending">
      <div className={style.store}>
        <h5>{review.store}</h5>
        <p className="muted dotted">
          {review.order && <span>{t("claims.order", { order: review.order })}</span>}{" "}
          <time dateTime={review.at}>{date(review.at)}</time>
        </p>
        <p className={style.why}>{t("situation.in_review")}</p>
      </div>
      <p className={`${rowStyle.money} ${style.money}`}>
        <strong className="figures">{chz(review.cashback_amount)}</strong>
        {review.amount && <span className="muted figures">{brl(review.amount)}</span>}
      </p>
      <Stamp kind="pending">{t("review.stamp")}</Stamp>
    </article>
  );
}

function StatementRow({ entry, amount }: { entry: Entry; amount: string }) {
  const t = useText();
  const { brl, percent, chz, date } = useFormat();
  const [isOpen, setOpen] = useState(false);
  return (
    <article className={`${rowStyle.row} ${style.row}`} data-status={entry.status}>
      <div className={style.store}>
        <h5>{entry.store}</h5>
        <p className="muted dotted">
          <span>
            {t("ticket.number")} {entry.id}
          </span>{" "}
          {entry.date && <time dateTime={entry.date}>{date(entry.date)}</time>}{" "}
          {entry.wallet && <span>{shortenAddress(entry.wallet)}</span>}
        </p>
        <p className={style.why}>
          <Why entry={entry} />
        </p>
        {entry.reading === "server" && <Unchecked />}
      </div>
      <p className={`${rowStyle.money} ${style.money}`}>
        <strong className="figures">{chz(amount)}</strong>
        <span className="muted figures">
          {entry.value === undefined ? entry.valueText : brl(entry.value)}
          {"\u00a0· "}
          {entry.percent === undefined ? entry.percentText : percent(entry.percent)}
        </span>
        <PaidWorth purchase={entry.purchase} />
      </p>
      <Stamp kind={entry.status}>{t(`status.${entry.status}`)}</Stamp>
      <div className={style.actions}>
        {entry.nft ? (
          <>
            <button type="button" className="link" onClick={() => startTransition(() => setOpen(true))}>
              {t("nft.details")}
              <OfTicket id={entry.id} />
            </button>
            <Link className="link" to={paths.ticket(entry.id)}>
              {t("ticket.page")}
              <OfTicket id={entry.id} />
            </Link>
          </>
        ) : null}
      </div>
      {isOpen && entry.nft && <NftDetails nft={entry.nft} purchase={entry.purchase} onClose={() => setOpen(false)} />}
    </article>
  );
}
