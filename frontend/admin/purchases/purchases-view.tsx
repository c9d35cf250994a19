import { adminPurchaseSchema } from "../../../core/rules/api/admin-purchases.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { StateBadge } from "../badge.tsx";
import { ShortWallet } from "../facts.tsx";
import style from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import { type ListDefinition, sortsByAgeOrAmount } from "../list/definition.ts";
import type { Purchase } from "../shapes.ts";
import { t } from "../texts.ts";
import { optionsOf, PURCHASE_WORDS, purchaseWait, wordOf } from "../words.ts";
import { PurchaseSheet } from "./purchase-sheet.tsx";

/** Every purchase: by number, wallet or order. */
export function PurchasesView() {
  return (
    <AdminList list={usePurchasesList()} details={(id, close) => <PurchaseSheet key={id} id={id} onClose={close} />} />
  );
}

function usePurchasesList(): ListDefinition<Purchase> {
  const { brl, chz, percent, dateTime } = useFormat();
  return {
    path: "/api/admin/purchases",
    row: adminPurchaseSchema,
    title: t("view.purchases"),
    noun: "purchase",
    search: t("purchases.search"),
    states: optionsOf(PURCHASE_WORDS),
    waiting: ({ held_purchases }) => ({ held: held_purchases }),
    sorts: sortsByAgeOrAmount("feminine"),
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <>
        <span className="figures">{t("numbered", { id: row.id })}</span>
        <span className={style.note}>{row.store}</span>
      </>
    ),
    columns: [
      {
        header: t("status"),
        cell: (row) => (
          <>
            <StateBadge {...wordOf(PURCHASE_WORDS, row.state)} />
            {purchaseWait(row) && <span className={style.note}>{purchaseWait(row)}</span>}
          </>
        ),
      },
      { header: t("wallet"), cell: (row) => <ShortWallet address={row.wallet} /> },
      { header: t("order"), cell: (row) => row.order_ref },
      { header: t("amount"), isFigure: true, cell: (row) => brl(row.amount) },
      {
        header: t("cashback"),
        isFigure: true,
        cell: (row) => (
          <>
            {chz(row.cashback)}
            <span className={style.note}>
              {percent(row.cashback_percent)}
              {row.bonus_percent !== "0" && ` + ${percent(row.bonus_percent)}`}
            </span>
          </>
        ),
      },
      { header: t("when"), cell: (row) => <time dateTime={row.created_at}>{dateTime(row.created_at)}</time> },
    ],
    empty: { title: t("purchases.none"), hint: t("purchases.none.hint") },
  };
}
