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
import { type Column, PlainTable } from "../plain-table.tsx";
import { refusalOf } from "../refusals.ts";
import type { Margin } from "../shapes.ts";
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
    <section className="grid gap-5" aria-label="Margem">
      <div className="list-tools">
        <Month label="De" value={from} onChange={(value) => set("from", value)} />
        <Month label="Até" value={to} onChange={(value) => set("to", value)} />
      </div>
      {margin.isPending ? (
        <Skeletons count={3} className="h-24" />
      ) : margin.data ? (
        <Figures margin={margin.data} />
      ) : (
        <RetryPanel title="Não foi possível carregar a margem." reason={refusalOf(margin.error)} query={margin} />
      )}
    </section>
  );
}

type MonthProps = { label: string; value: string; onChange: (value: string) => void };

function Month({ label, value, onChange }: MonthProps) {
  return (
    <Field label={label} className="list-month">
      {(control) => <input type="month" {...control} value={value} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  );
}

function Figures({ margin: { totals, rows } }: { margin: Margin }) {
  if (rows.length === 0) {
    return <EmptyPanel title="Nenhuma venda neste período" hint="A margem nasce das vendas que as redes avisam." />;
  }
  return (
    <>
      <Totals totals={totals} />
      <MarginTable rows={rows} />
    </>
  );
}

function Totals({ totals }: Pick<Margin, "totals">) {
  const { brl, integer } = useFormat();
  const earns = !totals.margin.startsWith("-");
  const figures = [
    ["Vendas", integer(totals.sales), brl(totals.amount)],
    ["Comissão recebida", brl(totals.commission_earned), `${brl(totals.commission_pending)} a receber`],
    ["Cashback prometido", brl(totals.cashback_promised), `${brl(totals.cashback_paid)} já pagos`],
  ];
  return (
    <dl className="figure-grid">
      <div className="stat" data-tone={earns ? "good" : "bad"}>
        <dt className="stat-note">{earns ? "A loja ganha" : "A loja perde"}</dt>
        <dd className="stat-number">{brl(totals.margin)}</dd>
        <dd className="stat-foot">comissão menos cashback</dd>
      </div>
      {figures.map(([label, value, foot]) => (
        <div key={label} className="stat">
          <dt className="stat-note">{label}</dt>
          <dd className="stat-number">{value}</dd>
          <dd className="stat-foot">{foot}</dd>
        </div>
      ))}
    </dl>
  );
}

function MarginTable({ rows }: Pick<Margin, "rows">) {
  const { brl, integer } = useFormat();
  const columns: readonly Column<Margin["rows"][number]>[] = [
    { header: "Mês", cell: (row) => monthName(row.month) },
    { header: "Vendas", isFigure: true, cell: (row) => integer(row.sales) },
    { header: "Valor", isFigure: true, cell: (row) => brl(row.amount) },
    {
      header: "Comissão",
      isFigure: true,
      cell: (row) => (
        <>
          {brl(row.commission_earned)}
          {Number(row.commission_pending) !== 0 && (
            <span className="row-note">{brl(row.commission_pending)} a receber</span>
          )}
        </>
      ),
    },
    { header: "Cashback", isFigure: true, cell: (row) => brl(row.cashback_promised) },
    { header: "Margem", isFigure: true, cell: (row) => brl(row.margin), isBad: (row) => row.margin.startsWith("-") },
  ];
  return (
    <PlainTable
      caption="Margem por loja e mês"
      noun="loja"
      rows={rows}
      keyOf={(row) => `${row.network} ${row.account} ${row.store_id} ${row.month}`}
      nameOf={(row) => (
        <>
          {row.store ?? "Sem loja"}
          <span className="row-note">
            {networkName(row.network)} ({row.account})
          </span>
        </>
      )}
      columns={columns}
    />
  );
}

const monthsAgo = (count: number): string => monthsBefore(monthOf(Date.now()), count);
