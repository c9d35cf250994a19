import { readFileSync } from "node:fs";
import { expect } from "chai";
import { needPromtool, promtool, readAlertRules } from "../testing/alerts.ts";

type Panel = {
  id: number;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets: { refId: string; expr: string }[];
};
const { panels } = JSON.parse(readFileSync("deploy/docker/grafana/dashboards/torcida.json", "utf8")) as {
  panels: Panel[];
};
const metricsOf = (text: string) => [...text.matchAll(/\btorcida_[a-z_]+\b/g)].map(([name]) => name);
const shown = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsOf(expr))));

/** The panels that an operator checks first after any alert. */
const LOOKED_AT = [
  "operations",
  "operations_oldest_seconds",
  "sales_held",
  "poll_age_seconds",
  "backup_last_timestamp_seconds",
  "reconcile_last_timestamp_seconds",
  "rpc_contradictions_total",
  "sender_days_left",
  "pool_days_left",
].map((name) => `torcida_${name}`);

describe("The dashboard", () => {
  it("shows every figure that an alert watches, and those that are looked at first", () => {
    const watched = readAlertRules().flatMap(({ expr }) => metricsOf(expr));
    expect([...shown]).to.include.members([...watched, ...LOOKED_AT]);
  });

  it("has queries that Prometheus can read @deep", function () {
    needPromtool(this);
    for (const { title, targets } of panels) {
      expect(new Set(targets.map(({ refId }) => refId)).size, title).to.equal(targets.length);
    }
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const rules = queries.map((expr, index) => ({ record: `shown_${index}`, expr }));
    expect(promtool(["check", "rules"], { groups: [{ name: "dashboard", rules }] })).to.include("SUCCESS");
  });

  it("has no panel over another", () => {
    const fields = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(fields).size).to.equal(fields.length);
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
  });
});
