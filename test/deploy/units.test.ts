import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { expect } from "chai";
import { skipWithout } from "../testing/skip.ts";

/** Of 10; systemd calls 2.5 "OK" and 8.5 "EXPOSED". */
const MOST_EXPOSED = 2.5;

describe("The systemd units", () => {
  before(function () {
    // `--offline` came with systemd 250.
    const { status, stdout } = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" });
    if (status !== 0 || Number(/\d+/.exec(stdout)?.[0]) < 250)
      skipWithout(this, "systemd-analyze: Debian's package systemd");
  });

  for (const unit of globSync("deploy/systemd/*.service")) {
    it(`${unit} is exposed by ${MOST_EXPOSED} at most @deep`, () => {
      const { stdout, stderr } = spawnSync("systemd-analyze", ["security", "--offline=true", unit], {
        encoding: "utf8",
      });
      const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number(exposure), stdout + stderr).to.be.at.most(MOST_EXPOSED);
    });
  }

  it("have only lines that systemd knows @deep", () => {
    const units = globSync("deploy/systemd/*.{service,timer}");
    const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...units], { encoding: "utf8" });
    // The code is not where an installed machine has it.
    const isOfThisMachine = (line: string) => line.includes("Command /opt/torcida/deploy/run is not executable");
    const complaints = stderr.split("\n").filter((line) => line !== "" && !isOfThisMachine(line));
    expect(complaints).to.deep.equal([]);
  });
});
