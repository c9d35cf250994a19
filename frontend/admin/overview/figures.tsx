import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import type { Figures as AllFigures, Day, Period } from "../shapes.ts";
import { figuresQuery } from "./queries.ts";

type DayChartProps = {
  label: string;
  days: readonly string[];
  values: readonly number[];
  /** How many of the last days are highlighted. */
  marked: number;
  say: (value: number) => string;
};

const HEIGHT = 36;
const STEP = 6;
const BAR = 4;

const PERIODS = [
  { value: "", label: "Hoje", key: "today", days: 1, before: "ontem" },
  { value: "7", label: "7 dias", key: "last_7_days", days: 7, before: "os 7 dias antes" },
  { value: "30", label: "30 dias", key: "last_30_days", days: 30, before: undefined },
] as const;

type Metric = { name: keyof Period; label: string; unit: "brl" | "chz" | "count" };
const METRICS: readonly Metric[] = [
  { name: "amount", label: "Valor comprado", unit: "brl" },
  { name: "purchases", label: "Compras", unit: "count" },
  { name: "cashback", label: "Cashback prometido", unit: "brl" },
  { name: "paid", label: "Cashback pago", unit: "chz" },
  { name: "clicks", label: "Idas às lojas", unit: "count" },
  { name: "users", label: "Pessoas novas", unit: "count" },
];

/** The figures of today, 7 and 30 days, each with its days as a small chart. */
export function Figures() {
  const [parameters, setParameters] = useSearchParams();
  const figures = useQuery(figuresQuery);
  const period = PERIODS.find(({ value }) => value === (parameters.get("period") ?? "")) ?? PERIODS[0];
  if (figures.isPending) {
    return (
      <div className="figure-grid" aria-busy="true">
        <Skeletons count={6} className="h-32" />
      </div>
    );
  }
  if (!figures.data) return <RetryPanel title="Não foi possível carregar o movimento." query={figures} />;
  const { data } = figures;
  return (
    <section aria-labelledby="figures">
      <div className="section-head">
        <h2 id="figures" className="section-title">
          Movimento
        </h2>
        <fieldset className="chips">
          <legend className="sr-only">Período</legend>
          {PERIODS.map(({ value, label }) => (
            <button
              key={value}
              type="button"
              className="chip"
              aria-pressed={value === period.value}
              onClick={() => setParameters(value ? { period: value } : {}, { replace: true, preventScrollReset: true })}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      <ul className="figure-grid figure-cards">
        {METRICS.map((metric) => (
          <li key={metric.name} className="stat">
            <Figure metric={metric} figures={data} period={period} />
          </li>
        ))}
      </ul>
      <DayTable days={data.days} />
    </section>
  );
}

type FigureProps = { metric: Metric; figures: AllFigures; period: (typeof PERIODS)[number] };

function Figure({ metric, figures, period }: FigureProps) {
  const say = useSay();
  const { days } = figures;
  const values = days.map((day) => Number(day[metric.name]));
  return (
    <>
      <p className="stat-note">{metric.label}</p>
      <p className="stat-number">{say(metric, figures[period.key][metric.name])}</p>
      <p className="stat-foot">{changeText(values, period)}</p>
      <DayChart
        label={metric.label}
        days={days.map(({ day }) => day)}
        values={values}
        marked={period.days}
        say={(value) => say(metric, String(value))}
      />
    </>
  );
}

function useSay(): (metric: Metric, value: string | number) => string {
  const { brl, chz, integer } = useFormat();
  return ({ unit }, value) => (unit === "brl" ? brl(value) : unit === "chz" ? chz(value) : integer(Number(value)));
}

/** Compared with the preceding days, if they are known. */
function changeText(values: readonly number[], { days, before }: (typeof PERIODS)[number]): string {
  if (before === undefined || values.length < days * 2) return "";
  const sum = (some: readonly number[]) => some.reduce((total, value) => total + value, 0);
  const now = sum(values.slice(-days));
  const then = sum(values.slice(-days * 2, -days));
  if (then === 0) return now === 0 ? `como ${before}` : `${before}: nada`;
  const change = Math.round((now / then - 1) * 100);
  return change === 0 ? `como ${before}` : `${change > 0 ? "+" : "−"}${Math.abs(change)}% sobre ${before}`;
}

/** The charts' figures as a table, for screen readers. */
function DayTable({ days }: { days: readonly Day[] }) {
  const { date } = useFormat();
  const say = useSay();
  return (
    <details className="technical">
      <summary>Os 30 dias em tabela</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className="table-wrap" tabIndex={0} aria-label="Os 30 dias em tabela">
        <table className="dense">
          <thead>
            <tr>
              <th scope="col">Dia</th>
              {METRICS.map(({ name, label }) => (
                <th key={name} scope="col" className="numeric">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.day}>
                <th scope="row">{date(day.day)}</th>
                {METRICS.map((metric) => (
                  <td key={metric.name} className="numeric figures">
                    {say(metric, day[metric.name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

/** One bar per day; the days of the period are highlighted. A sentence describes the bars. */
function DayChart({ label, days, values, marked, say }: DayChartProps) {
  const { date, shortDate } = useFormat();
  const most = Math.max(...values);
  const best = values.indexOf(most);
  const day = (index: number) => date(days[index] ?? "");
  const summary =
    most > 0
      ? `${label} por dia, 30 dias: o maior foi ${say(most)}, em ${day(best)}; hoje, ${say(values.at(-1) ?? 0)}.`
      : `${label} por dia, 30 dias: nada ainda.`;
  return (
    <>
      <svg
        className="day-chart"
        role="img"
        aria-label={summary}
        viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {values.map((value, index) => {
          const height = most > 0 && value > 0 ? Math.max(2, (value / most) * HEIGHT) : 1;
          return (
            <rect
              key={days[index]}
              className={index >= values.length - marked ? "day-bar day-bar-marked" : "day-bar"}
              x={index * STEP + (STEP - BAR) / 2}
              y={HEIGHT - height}
              width={BAR}
              height={height}
            >
              <title>{`${day(index)}: ${say(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className="day-chart-axis figures" aria-hidden="true">
        <span>{shortDate(days[0])}</span>
        <span>hoje</span>
      </p>
    </>
  );
}
