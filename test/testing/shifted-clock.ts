/** Loaded with `--import`: the clock of the process is off by `CLOCK_OFFSET_MS`. */
const offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0);
const readClock = Date.now.bind(Date);
Date.now = () => readClock() + offsetMs;
