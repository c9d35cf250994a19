import { queryOptions, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { marginResponseSchema } from "../../../core/rules/api/sales.ts";
import { monthOf, monthsBefore } from "../../../core/rules/iso-time.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Field } from "../../ui/field.tsx";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import adminListStyle from "../list/admin-list.module.css";
import style from "../list/list-toolbar.module.css";
import panelStyle from "../panel.module.css";
import { type Column, PlainTable } from "../plain-table.tsx";
import { refusalOf } from "../refusals.ts";
import type { Margin } from "../shapes.ts";
import { t } from "../texts.ts";
import { monthName, networkName } from "../words.ts";

/** `from` and `to` are months such as 2026-11. */
const marginQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "margin", from, to],
    queryFn: ({ signal }) => ask(marginResponseSchema, `/api/admin/margin?from=${from}&to=${to}`, { signal }),
    staleTime: 0,
  });

const MONTHS = 12;

/** Whether the shop earns: commission against cashback, by store and month. docs/product.md#sales-calls. */
export function MarginView() {
  const [parameters, setParameters] = useSearchParams();
  const from = parameters.get("from") ?? monthsAgo(MONTHS - 1);
  const to = parameters.get("to") ?? monthsAgo(0);
  const margin = useQuery(marginQuery(from, to));
  const set = (name: "from" | "to", value: string) =>
    setParameters(
      (now) => {
        const next = new URLSearchParams(now);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <section className="grid gap-5" aria-label={t("view.margin")}>
      <div className={style.tools}>
        <Month label={t("from")} value={from} onChange={(value) => set("from", value)} />
        <Month label={t("until")} value={to} onChange={(value) => set("to", value)} />
      </div>
      {margin.isPending ? (
        <Skeletons count={3} className="h-24" />
      ) : margin.data ? (
        <Figures margin={margin.data} />
      ) : (
        <RetryPanel title={t("margin.failed")} reason={refusalOf(margin.error)} query={margin} />
      )}
    </section>
  );
}

type MonthProps = { label: string; value: string; onChange: (value: string) => void };

function Month({ label, value, onChange }: MonthProps) {
  return (
    <Field label={label} className={style.month}>
      {(control) => <input type="month" {...control} value={value} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  );
}

function Figures({ margin: { totals, rows, accounts = [], loss_limit } }: { margin: Margin }) {
  if (rows.length === 0) {
    return <EmptyPanel title={t("margin.none")} hint={t("margin.none.hint")} />;
  }
  return (
    <>
      <Totals totals={totals} />
      <AccountTable rows={accounts} limit={loss_limit} />
      <MarginTable rows={rows} />
    </>
  );
}

function Totals({ totals }: Pick<Margin, "totals">) {
  const { brl, integer } = useFormat();
  const earns = !totals.margin.startsWith("-");
  const figures = [
    [t("view.sales"), integer(totals.sales), brl(totals.amount)],
    [
      t("margin.commission"),
      brl(totals.commission_earned),
      t("margin.pending", { amount: brl(totals.commission_pending) }),
    ],
    [t("margin.cashback"), brl(totals.cashback_promised), t("margin.paid", { amount: brl(totals.cashback_paid) })],
  ];
  return (
    <dl className={panelStyle.figureGrid}>
      <div className="stat" data-tone={earns ? "good" : "bad"}>
        <dt className="stat-note">{earns ? t("margin.earns") : t("margin.loses")}</dt>
        <dd className="stat-number">{brl(totals.margin)}</dd>
        <dd className={panelStyle.statFoot}>{t("margin.rule")}</dd>
      </div>
      {figures.map(([label, value, foot]) => (
        <div key={label} className="stat">
          <dt className="stat-note">{label}</dt>
          <dd className="stat-number">{value}</dd>
          <dd className={panelStyle.statFoot}>{foot}</dd>
        </div>
      ))}
    </dl>
  );
}

type Earned = Pick<Margin["rows"][number], "commission_earned" | "commission_pending" | "cashback_promised">;

const earnedColumns = (brl: (amount: string) => string): readonly Column<Earned>[] => [
  {
    header: t("commission"),
    isFigure: true,
    cell: (row) => (
      <>
        {brl(row.commission_earned)}
        {Number(row.commission_pending) !== 0 && (
          <span className={adminListStyle.note}>{t("margin.pending", { amount: brl(row.commission_pending) })}</span>
        )}
      </>
    ),
  },
  { header: t("cashback"), isFigure: true, cell: (row) => brl(row.cashback_promised) },
];

type AccountRow = NonNullable<Margin["accounts"]>[number];

/** What each account earned, promised and lost in a month. docs/product.md#margin-loss */
function AccountTable({ rows, limit }: { rows: readonly AccountRow[]; limit: string | undefined }) {
  const { brl } = useFormat();
  if (rows.length === 0) return null;
  const isFull = ({ lost }: AccountRow) => limit !== undefined && Number(lost) >= Number(limit);
  const columns: readonly Column<AccountRow>[] = [
    { header: t("noun.month"), cell: (row) => monthName(row.month) },
    ...earnedColumns(brl),
    {
      header: t("margin.lost"),
      isFigure: true,
      cell: (row) => (
        <>
          {brl(row.lost)}
          {limit !== undefined && Number(row.lost) > 0 && (
            <span className={adminListStyle.note}>
              {isFull(row) ? t("margin.lost.full") : t("margin.lost.limit", { amount: brl(limit) })}
            </span>
          )}
        </>
      ),
      isBad: isFull,
    },
  ];
  return (
    <>
      <h2 className="section-title">{t("margin.accounts")}</h2>
      <PlainTable
        caption={t("margin.accounts")}
        noun={t("noun.account")}
        rows={rows}
        keyOf={(row) => `${row.network} ${row.account} ${row.month}`}
        nameOf={(row) => `${networkName(row.network)} (${row.account})`}
        columns={columns}
      />
      <h2 className="section-title">{t("margin.caption")}</h2>
    </>
  );
}

function MarginTable({ rows }: Pick<Margin, "rows">) {
  const { brl, integer } = useFormat();
  const columns: readonly Column<Margin["rows"][number]>[] = [
    { header: t("noun.month"), cell: (row) => monthName(row.month) },
    { header: t("view.sales"), isFigure: true, cell: (row) => integer(row.sales) },
    { header: t("amount"), isFigure: true, cell: (row) => brl(row.amount) },
    ...earnedColumns(brl),
    {
      header: t("view.margin"),
      isFigure: true,
      cell: (row) => brl(row.margin),
      isBad: (row) => row.margin.startsWith("-"),
    },
  ];
  return (
    <PlainTable
      caption={t("margin.caption")}
      noun={t("noun.store")}
      rows={rows}
      keyOf={(row) => `${row.network} ${row.account} ${row.store_id} ${row.month}`}
      nameOf={(row) => (
        <>
          {row.store ?? t("margin.noStore")}
          <span className={adminListStyle.note}>
            {networkName(row.network)} ({row.account})
          </span>
        </>
      )}
      columns={columns}
    />
  );
}

const monthsAgo = (count: number): string => monthsBefore(monthOf(Date.now()), count);
