import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { AlertWatch, readAlertRules } from "../testing/alerts/alert-rules.ts";
import { evaluate } from "../testing/alerts/promql.ts";
import { type Labels, ScrapedSeries } from "../testing/alerts/series.ts";

const MINUTE_MS = 60_000;
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

/** One value per minute from minute 0 on, as for `promtool test rules`; `_` is a scrape without the series. */
const INPUT: Record<string, string> = {
  'up{job="torcida-api", instance="a"}': "1 1 1 1 1 1 1 1 1 1 1",
  'up{job="torcida-api", instance="b"}': "1 1 1 0 0 0 0 0 0 0 0",
  'sends{instance="a"}': "1 1 1 1 1 1 1 1 1 1 1",
  'sends{instance="b"}': "0 0 0 0 0 0 0 0 0 0 0",
  'sent_total{instance="a"}': "0 5 10 15 2 7 12 17 22 27 32",
  'sent_total{instance="b"}': "_ _ _ 3 3 3 3 3 3 3 3",
  'gone{instance="a"}': "1 1 1 _ _ _ _ _ _ _ _",
  'last_seconds{instance="a"}': "0 60 120 120 120 120 120 120 120 120 120",
  sixty_total: "0 60 120 180 240 300 360 420 480 540 600",
  'took_bucket{le="0.1"}': "0 10 20 30 40 50 60 70 80 90 100",
  'took_bucket{le="0.5"}': "0 15 30 45 60 75 90 105 120 135 150",
  'took_bucket{le="+Inf"}': "0 20 40 60 80 100 120 140 160 180 200",
};

/** At minute 10; if `promtool` is installed, it must agree with each of these values. */
const CASES: { expr: string; samples: { labels: Labels; value: number }[] }[] = [
  {
    expr: 'up{job=~"torcida-.*"} == 0',
    samples: [{ labels: { __name__: "up", job: "torcida-api", instance: "b" }, value: 0 }],
  },
  { expr: "sum(sends) != 1", samples: [] },
  { expr: "count(sends) - sum(sends)", samples: [{ labels: {}, value: 1 }] },
  { expr: "max by (instance) (sends) == 0", samples: [{ labels: { instance: "b" }, value: 0 }] },
  {
    expr: "increase(sent_total[5m])",
    samples: [
      { labels: { instance: "a" }, value: 25 },
      { labels: { instance: "b" }, value: 0 },
    ],
  },
  { expr: "rate(sixty_total[5m]) * 60", samples: [{ labels: {}, value: 60 }] },
  { expr: 'increase(sent_total{instance!="b"}[10m])', samples: [{ labels: { instance: "a" }, value: 47 }] },
  { expr: "absent(never)", samples: [{ labels: {}, value: 1 }] },
  { expr: 'absent(never{job="x"})', samples: [{ labels: { job: "x" }, value: 1 }] },
  { expr: "absent(sends)", samples: [] },
  { expr: "time() - max(last_seconds) > 60 * 5", samples: [{ labels: {}, value: 480 }] },
  { expr: "min_over_time(sent_total[10m]) < 1", samples: [{ labels: { instance: "a" }, value: 0 }] },
  {
    expr: "max_over_time(sends[3m]) unless on (instance) gone",
    samples: [
      { labels: { instance: "a" }, value: 1 },
      { labels: { instance: "b" }, value: 0 },
    ],
  },
  { expr: "changes(sends[10m]) > 0 or vector(0)", samples: [{ labels: {}, value: 0 }] },
  { expr: "sent_total / sends > 100", samples: [{ labels: { instance: "b" }, value: Number.POSITIVE_INFINITY }] },
  {
    expr: "sends == 1 and on (instance) sent_total > 30",
    samples: [{ labels: { __name__: "sends", instance: "a" }, value: 1 }],
  },
  { expr: "histogram_quantile(0.6, sum by (le) (rate(took_bucket[5m])))", samples: [{ labels: {}, value: 0.26 }] },
  { expr: "histogram_quantile(0.99, sum by (le) (rate(took_bucket[5m])))", samples: [{ labels: {}, value: 0.5 }] },
];

describe("Alert rules", () => {
  it("are evaluated as by Prometheus", () => {
    const series = new ScrapedSeries();
    for (let minute = 0; minute <= 10; minute++) series.scrape({}, expositionAt(minute), minute * MINUTE_MS);
    for (const { expr, samples } of CASES) {
      const found = evaluate(expr, series, 10 * MINUTE_MS).map(({ labels, value }) => ({
        labels,
        value: Number.isFinite(value) ? Number(value.toFixed(9)) : value,
      }));
      expect(found, expr).to.have.deep.members(samples);
    }
  });

  it("forget at once what a target no longer exports", () => {
    const series = new ScrapedSeries();
    series.scrape({}, "kept 1\ngone 1", 0);
    series.scrape({}, "kept 1", MINUTE_MS);
    expect(evaluate("gone", series, MINUTE_MS)).to.deep.equal([]);
    expect(evaluate("kept", series, MINUTE_MS)).to.have.length(1);
  });

  (hasPromtool ? it : it.skip)("are evaluated the same by promtool, and it accepts the rule file", () => {
    const directory = mkdtempSync(join(tmpdir(), "torcida-promtool-"));
    const file = join(directory, "cases.yaml");
    const labelText = ({ __name__: name = "", ...labels }: Labels) =>
      `${name}{${Object.entries(labels)
        .map(([label, text]) => `${label}="${text}"`)
        .join(", ")}}`;
    writeFileSync(
      file,
      stringify({
        evaluation_interval: "1m",
        tests: [
          {
            interval: "1m",
            input_series: Object.entries(INPUT).map(([name, values]) => ({
              series: name,
              values: values.replaceAll(/_ _(?= |$)/g, "_ _"),
            })),
            promql_expr_test: CASES.map(({ expr, samples }) => ({
              expr,
              eval_time: "10m",
              exp_samples: samples.map(({ labels, value }) => ({
                labels: labelText(labels),
                value: value === Number.POSITIVE_INFINITY ? ".inf" : value,
              })),
            })),
          },
        ],
      }).replaceAll('".inf"', ".inf"),
    );
    const compared = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" });
    const checked = spawnSync("promtool", ["check", "rules", "ops/alerts.yaml"], { encoding: "utf8" });
    rmSync(directory, { recursive: true });
    expect(compared.stdout + compared.stderr).to.contain("SUCCESS");
    expect(checked.stdout + checked.stderr).to.contain("SUCCESS");
  });

  it("wait for their configured time before they fire, and resolve at once", () => {
    const rule = { alert: "Down", expr: "up == 0", for: "2m", labels: {}, annotations: { summary: "", runbook: "" } };
    const watch = new AlertWatch([rule]);
    const target = { job: "api", instance: "a" };
    const fired = [true, false, false, false, true, false, false].map((isUp, minute) => {
      watch.scrape(target, isUp ? "" : undefined, minute * MINUTE_MS);
      return watch.firing(minute * MINUTE_MS).length > 0;
    });
    expect(fired).to.deep.equal([false, false, false, true, false, false, false]);
  });

  it("report a network that sends unknown data", () => {
    const network = '{network="awin",account="br"}';
    const told = (drifted: number, unreadable: number) =>
      [
        `torcida_affiliate_drifted_sales${network} ${drifted}`,
        `torcida_affiliate_unreadable_rows_total${network} ${unreadable}`,
      ].join("\n");
    const firing = (scrapes: [drifted: number, unreadable: number][]) => {
      const watch = new AlertWatch(readAlertRules().filter(({ alert }) => alert === "TorcidaNetworkDrift"));
      for (const [minute, scrape] of scrapes.entries()) {
        watch.scrape({ job: "torcida-api", instance: "a" }, told(...scrape), minute * MINUTE_MS);
      }
      return watch.firing((scrapes.length - 1) * MINUTE_MS);
    };
    const minutes = Array.from({ length: 10 }, (_, minute) => minute);
    expect(firing(minutes.map(() => [0, 3]))).to.deep.equal([]);
    expect(firing(minutes.map((minute) => [Number(minute === 9), 3]))).to.deep.equal(["TorcidaNetworkDrift"]);
    expect(firing(minutes.map((minute) => [0, 3 + Number(minute === 9)]))).to.deep.equal(["TorcidaNetworkDrift"]);
  });

  it("can each be evaluated, have a severity, and lead to a page that exists", () => {
    const rules = readAlertRules();
    expect(rules.length).to.be.greaterThan(10);
    for (const { alert, expr, labels, annotations } of rules) {
      expect(() => evaluate(expr, new ScrapedSeries(), 0), alert).not.to.throw();
      expect(["page", "ticket"], alert).to.include(labels.severity);
      expect(existsSync(annotations.runbook), `${alert}: ${annotations.runbook}`).to.equal(true);
    }
  });
});

function expositionAt(minute: number): string {
  return Object.entries(INPUT)
    .flatMap(([name, values]) => {
      const value = values.split(" ")[minute] ?? "_";
      return value === "_" ? [] : [`${name.replaceAll(", ", ",")} ${value}`];
    })
    .join("\n");
}
