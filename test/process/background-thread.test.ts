import { once } from "node:events";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { Worker } from "node:worker_threads";
import { expect } from "chai";
import { skipWithout } from "../testing/skip.ts";

const MODULE = new URL("../../core/process/background-thread.ts", import.meta.url).href;
/** Returns the priorities of its own thread and of the process's main thread, as the kernel reports them. */
const THREAD = `
  const { readFileSync } = require("node:fs");
  const { parentPort } = require("node:worker_threads");
  const niceOf = (file) => Number(readFileSync(file, "utf8").split(") ")[1].split(" ")[16]);
  import(${JSON.stringify(MODULE)}).then(({ runInBackground }) => {
    runInBackground();
    parentPort.postMessage([niceOf("/proc/thread-self/stat"), niceOf("/proc/" + process.pid + "/stat")]);
  });
`;

describe("A background thread", () => {
  it("lets the serving thread go first, and leaves its priority alone", async function () {
    if (!existsSync("/proc/thread-self")) skipWithout(this, "/proc/thread-self");
    const worker = new Worker(THREAD, { eval: true });
    try {
      const [[own, serving]] = (await once(worker, "message")) as [[number, number]];
      expect(own).to.equal(Math.max(serving, constants.priority.PRIORITY_BELOW_NORMAL));
    } finally {
      await worker.terminate();
    }
  });
});
