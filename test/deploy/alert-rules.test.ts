import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { parse } from "yaml";
import { FAULT_NAMES, kindOf } from "../../core/rules/system-faults.ts";
import { needPromtool, readAlertRules } from "../testing/alerts.ts";

describe("Alert rules", () => {
  for (const command of [
    ["check", "rules", "deploy/alerts.yaml"],
    ["test", "rules", "deploy/alerts.test.yaml"],
  ]) {
    it(`pass promtool ${command.join(" ")} @deep`, function () {
      needPromtool(this);
      const { stdout, stderr } = spawnSync("promtool", command, { encoding: "utf8" });
      expect(stdout + stderr).to.include("SUCCESS");
    });
  }

  it("seen from outside are all in the unit tests", () => {
    const tested = readFileSync("deploy/alerts.test.yaml", "utf8");
    for (const { alert } of readAlertRules("outside")) expect(tested).to.include(`alertname: ${alert}`);
  });

  it("tell each fault of the installation, and lead to the page that the doctor names", () => {
    const rules = new Map(
      [...readAlertRules(), ...readAlertRules("outside")].map((rule) => [rule.alert, rule.annotations.runbook]),
    );
    for (const name of FAULT_NAMES) {
      const { alert, runbook } = kindOf(name);
      expect(rules.get(alert), `${name}: ${alert}`).to.equal(`docs/runbook/${runbook}.md`);
    }
  });

  it("compare with the time from which on /readyz tells the fault", () => {
    const rules = new Map([...readAlertRules(), ...readAlertRules("outside")].map(({ alert, expr }) => [alert, expr]));
    const timed = FAULT_NAMES.filter((name) => kindOf(name).seconds !== undefined);
    expect(timed).to.have.length.above(4);
    for (const name of timed) {
      const { alert, seconds } = kindOf(name);
      const limits = [...(rules.get(alert) ?? "").matchAll(/\) [<>] (-?\d[\d *]*)/g)].map(([, factors = ""]) =>
        Math.abs(factors.split("*").reduce((product, factor) => product * Number(factor), 1)),
      );
      expect(new Set(limits), `${name}: ${rules.get(alert)}`).to.deep.equal(new Set([seconds]));
    }
  });

  it("reach a phone, and the watchdog a service elsewhere", () => {
    type Route = { receiver: string; matchers?: string[]; routes?: Route[]; repeat_interval?: string };
    const { route, receivers } = parse(readFileSync("deploy/alertmanager.yaml", "utf8")) as {
      route: Route;
      receivers: { name: string }[];
    };
    const all = [route, ...(route.routes ?? [])];
    expect(new Set(all.map(({ receiver }) => receiver))).to.deep.equal(new Set(receivers.map(({ name }) => name)));
    const watchdog = route.routes?.find(({ matchers }) => matchers?.includes('severity = "watchdog"'));
    expect(watchdog).to.include({ receiver: "outside", repeat_interval: "5m" });
  });

  it("have a severity each, and lead to a page that exists", () => {
    const rules = readAlertRules();
    expect(rules.length).to.be.greaterThan(10);
    for (const { alert, labels, annotations } of [...rules, ...readAlertRules("outside")]) {
      expect(["page", "ticket", "watchdog"], alert).to.include(labels.severity);
      expect(existsSync(annotations.runbook), `${alert}: ${annotations.runbook}`).to.equal(true);
    }
  });
});
