import { useQueryClient } from "@tanstack/react-query";
import { saleSchema } from "../../../core/rules/api/sales.ts";
import { ApiError } from "../../api/http.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { releaseSale } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { ShortWallet } from "../facts.tsx";
import style from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import { sumOf } from "../list/bulk.tsx";
import { type ListDefinition, sortsByAgeOrAmount } from "../list/definition.ts";
import type { Sale } from "../shapes.ts";
import { t } from "../texts.ts";
import { networkName, optionsOf, SALE_WORDS, wordOf } from "../words.ts";
import { FromNetworks } from "./from-networks.tsx";
import { saleQuery } from "./queries.ts";
import { SaleSheet } from "./sale-sheet.tsx";
import { useSaleMoney, whyOf } from "./sale-words.ts";

/** Sales as the affiliate networks report them. docs/product.md#sales. */
export function SalesView() {
  return (
    <>
      <FromNetworks />
      <AdminList list={useSalesList()} details={(id, close) => <SaleSheet key={id} id={id} onClose={close} />} />
    </>
  );
}

/** Releases a sale if it is still as the list shows it. */
function useRelease() {
  const client = useQueryClient();
  return async (row: Sale, reason: string) => {
    const sale = await client.fetchQuery(saleQuery(String(row.id)));
    const isSeen = sale.reason === row.reason && sale.amount === row.amount && sale.cashback === row.cashback;
    if (!isSeen) throw new ApiError("The sale has changed", 409, { code: "SALE_CHANGED" });
    return releaseSale(sale, reason);
  };
}

/** At most so many. */
const CASHBACK_DECIMALS = 6;

function useSalesList(): ListDefinition<Sale> {
  const { brl, dateTime } = useFormat();
  const money = useSaleMoney();
  const release = useRelease();
  return {
    path: "/api/admin/sales",
    row: saleSchema,
    title: t("view.sales"),
    noun: "sale",
    search: t("sales.search"),
    states: optionsOf(SALE_WORDS),
    waiting: ({ held_sales, unmatched_sales }) => ({ held: held_sales, unmatched: unmatched_sales }),
    sorts: sortsByAgeOrAmount("feminine"),
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <>
        <span className="figures">{row.order_ref ?? row.sale_key}</span>
        <span className={style.note}>
          {t("numbered", { id: row.id })} · {networkName(row.network)} ({row.account})
        </span>
      </>
    ),
    columns: [
      {
        header: t("status"),
        cell: (row) => (
          <>
            <StateBadge {...wordOf(SALE_WORDS, row.state)} />
            {row.reason && <span className={style.note}>{whyOf(row)}</span>}
          </>
        ),
      },
      {
        header: t("wallet"),
        cell: (row) => row.wallet && <ShortWallet address={row.wallet} />,
      },
      { header: t("amount"), isFigure: true, cell: money },
      {
        header: t("commission"),
        isFigure: true,
        cell: (row) => row.commission && brl(row.commission),
      },
      { header: t("cashback"), isFigure: true, cell: (row) => brl(row.cashback) },
      {
        header: t("when"),
        cell: (row) => row.occurred_at && <time dateTime={row.occurred_at}>{dateTime(row.occurred_at)}</time>,
      },
    ],
    bulk: {
      permission: "sales",
      fits: ({ state }) => state === "held",
      what: "sales",
      mayPay: true,
      consequences: (rows) => [
        [
          t("sales.sum"),
          brl(
            sumOf(
              rows.map(({ cashback }) => ({ amount: cashback })),
              CASHBACK_DECIMALS,
            ),
          ),
        ],
        ...rows.map((row) => [`${t("numbered", { id: row.id })} · ${money(row)}`, whyOf(row)] as const),
      ],
      decide: release,
    },
    empty: {
      title: t("sales.none"),
      hint: t("sales.none.hint"),
    },
  };
}
