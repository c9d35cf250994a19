import { closeSync, openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { ProcessLoad } from "../../core/process/process-load.ts";
import { until } from "../testing/until.ts";

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe("The load of a process", function () {
  this.timeout(60_000);

  it("tells for how long it answered nothing", async () => {
    const load = new ProcessLoad();
    await delay(300);
    standStill(1_500);
    await until("it is seen", () => load.lagSeconds > 1.2);
    expect(await load.problems(1))
      .to.have.property("lag")
      .that.matches(/^The api answered nothing for \d\.\d s/);
    expect(await load.problems(600)).not.to.have.property("lag");
  });

  it("counts its files, against the limit of the system", async () => {
    const load = new ProcessLoad();
    const before = await load.openFiles();
    const opened = Array.from({ length: 50 }, () => openSync("/dev/null", "r"));
    const after = await load.openFiles();
    for (const file of opened) closeSync(file);
    expect((after?.used ?? 0) - (before?.used ?? 0)).to.be.greaterThan(30);
    expect(after?.limit).to.be.greaterThan(100);
    expect(await load.problems(600)).not.to.have.property("files");
  });

  it("compares its memory with what it may use", async () => {
    const load = new ProcessLoad();
    expect(await load.problems(600)).not.to.have.property("memory");
    const { constrainedMemory } = process;
    process.constrainedMemory = () => Math.round(process.memoryUsage.rss() * 1.1);
    try {
      expect(await load.problems(600))
        .to.have.property("memory")
        .that.matches(/^The api uses \d+ of at most \d+ MiB/);
    } finally {
      process.constrainedMemory = constrainedMemory;
    }
  });
});
