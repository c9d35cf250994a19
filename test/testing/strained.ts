import { openSync, readFileSync } from "node:fs";

/** Loaded with `--import`: the process is close to the limits of its files and memory, and stands still now and then. */
const USED = 0.85;
const EVERY_MS = 20_000;
const STANDS_MS = 1_500;

const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
for (let count = 0; count < limit * USED; count++) openSync("/dev/null", "r");

process.constrainedMemory = () => process.memoryUsage.rss() * 1.1;

setInterval(() => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, STANDS_MS);
}, EVERY_MS).unref();
