/** Loaded with `--import`: the process's clock is an hour ahead, and each SIGUSR2 sets it back by an hour. */
const HOUR_MS = 3_600_000;
let offsetMs = HOUR_MS;
const readClock = Date.now.bind(Date);
Date.now = () => readClock() + offsetMs;
process.on("SIGUSR2", () => {
  offsetMs -= HOUR_MS;
});
