import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect } from "chai";
import { needPromtool, readAlertRules } from "../testing/alerts.ts";

describe("Alert rules", () => {
  for (const command of [
    ["check", "rules", "ops/alerts.yaml"],
    ["test", "rules", "ops/alerts.test.yaml"],
  ]) {
    it(`pass promtool ${command.join(" ")} @deep`, function () {
      needPromtool(this);
      const { stdout, stderr } = spawnSync("promtool", command, { encoding: "utf8" });
      expect(stdout + stderr).to.include("SUCCESS");
    });
  }

  it("have a severity each, and lead to a page that exists", () => {
    const rules = readAlertRules();
    expect(rules.length).to.be.greaterThan(10);
    for (const { alert, labels, annotations } of rules) {
      expect(["page", "ticket"], alert).to.include(labels.severity);
      expect(existsSync(annotations.runbook), `${alert}: ${annotations.runbook}`).to.equal(true);
    }
  });
});
