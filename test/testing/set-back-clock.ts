/** Loaded with `--import`: the process's clock is an hour ahead until SIGUSR2 sets it right. */
let offsetMs = 3_600_000;
const readClock = Date.now.bind(Date);
Date.now = () => readClock() + offsetMs;
process.on("SIGUSR2", () => {
  offsetMs = 0;
});
