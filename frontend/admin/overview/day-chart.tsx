import { useFormat } from "../../i18n/use-format.ts";

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

/** One bar per day; the days of the period are highlighted. A sentence describes the bars. */
export function DayChart({ label, days, values, marked, say }: DayChartProps) {
  const { date, shortDate } = useFormat();
  const most = Math.max(...values);
  const best = values.indexOf(most);
  const day = (index: number) => date(`${days[index]}T12:00:00Z`);
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
