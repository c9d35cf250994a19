import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import panelStyle from "../panel.module.css";
import type { Figures as AllFigures, Day, Period } from "../shapes.ts";
import { type CodeOf, t } from "../texts.ts";
import style from "./figures.module.css";
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
  { value: "", key: "today", days: 1 },
  { value: "7", key: "last_7_days", days: 7 },
  { value: "30", key: "last_30_days", days: 30 },
] as const;

type Metric = { name: CodeOf<"figures.metric"> & keyof Period; unit: "brl" | "chz" | "count" };
const METRICS: readonly Metric[] = [
  { name: "amount", unit: "brl" },
  { name: "purchases", unit: "count" },
  { name: "cashback", unit: "brl" },
  { name: "paid", unit: "chz" },
  { name: "clicks", unit: "count" },
  { name: "users", unit: "count" },
];

/** The figures of today, 7 and 30 days, each with its days as a small chart. */
export function Figures() {
  const [parameters, setParameters] = useSearchParams();
  const figures = useQuery(figuresQuery);
  const period = PERIODS.find(({ value }) => value === (parameters.get("period") ?? "")) ?? PERIODS[0];
  if (figures.isPending) {
    return (
      <div className={panelStyle.figureGrid} aria-busy="true">
        <Skeletons count={6} className="h-32" />
      </div>
    );
  }
  if (!figures.data) return <RetryPanel title={t("figures.failed")} query={figures} />;
  const { data } = figures;
  return (
    <section aria-labelledby="figures">
      <div className="section-head">
        <h2 id="figures" className="section-title">
          {t("figures.title")}
        </h2>
        <fieldset className="chips">
          <legend className="sr-only">{t("figures.periodLabel")}</legend>
          {PERIODS.map(({ value, key }) => (
            <button
              key={value}
              type="button"
              className="chip"
              aria-pressed={value === period.value}
              onClick={() => setParameters(value ? { period: value } : {}, { replace: true, preventScrollReset: true })}
            >
              {t(`figures.period.${key}`)}
            </button>
          ))}
        </fieldset>
      </div>
      <ul className={`${panelStyle.figureGrid} ${style.cards}`}>
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
      <p className="stat-note">{t(`figures.metric.${metric.name}`)}</p>
      <p className="stat-number">{say(metric, figures[period.key][metric.name])}</p>
      <p className={panelStyle.statFoot}>{changeText(values, period)}</p>
      <DayChart
        label={t(`figures.metric.${metric.name}`)}
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
function changeText(values: readonly number[], { days, key }: (typeof PERIODS)[number]): string {
  if (key === "last_30_days" || values.length < days * 2) return "";
  const sum = (some: readonly number[]) => some.reduce((total, value) => total + value, 0);
  const now = sum(values.slice(-days));
  const then = sum(values.slice(-days * 2, -days));
  if (then === 0) return t(now === 0 ? `figures.same.${key}` : `figures.nothing.${key}`);
  const change = Math.round((now / then - 1) * 100);
  if (change === 0) return t(`figures.same.${key}`);
  return t(`figures.change.${key}`, { change: `${change > 0 ? "+" : "−"}${Math.abs(change)}%` });
}

/** The charts' figures as a table, for screen readers. */
function DayTable({ days }: { days: readonly Day[] }) {
  const { date } = useFormat();
  const say = useSay();
  return (
    <details className={panelStyle.technical}>
      <summary>{t("figures.table")}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className="table-wrap" tabIndex={0} aria-label={t("figures.table")}>
        <table className={style.dense}>
          <thead>
            <tr>
              <th scope="col">{t("day")}</th>
              {METRICS.map(({ name }) => (
                <th key={name} scope="col" className="numeric">
                  {t(`figures.metric.${name}`)}
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
      ? t("figures.chart", { label, most: say(most), day: day(best), today: say(values.at(-1) ?? 0) })
      : t("figures.chartEmpty", { label });
  return (
    <>
      <svg
        className={style.chart}
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
              className={index >= values.length - marked ? `${style.bar} ${style.marked}` : style.bar}
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
      <p className={`${style.axis} figures`} aria-hidden="true">
        <span>{shortDate(days[0])}</span>
        <span>{t("figures.todayLow")}</span>
      </p>
    </>
  );
}
