type Act = () => void;
type Timer = { act: Act; dueAt: number; isRepeated: boolean };

const {
  setTimeout: later,
  setInterval: often,
  setImmediate: soon,
  clearTimeout: forget,
  performance: clock,
} = globalThis;
const SETTLE_MS = 10;

const running = new Map<NodeJS.Timeout, Timer>();
let waiting = 0;

/** Node's timers, for a page: libraries remember those that they find first, and a page's end with it. */
export const PAGE_TIMERS = {
  setTimeout: (act: (...rest: unknown[]) => void, ms = 0, ...rest: unknown[]) => {
    const timer = later(() => {
      running.delete(timer);
      act(...rest);
    }, ms);
    running.set(timer, { act: () => act(...rest), dueAt: clock.now() + ms, isRepeated: false });
    return timer;
  },
  setInterval: (act: (...rest: unknown[]) => void, ms = 0, ...rest: unknown[]) => {
    const timer = often(act, ms, ...rest);
    running.set(timer, { act: () => act(...rest), dueAt: clock.now() + ms, isRepeated: true });
    return timer;
  },
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
  // With which React goes on.
  setImmediate: (act: (...rest: unknown[]) => void, ...rest: unknown[]) => {
    waiting += 1;
    return soon(() => {
      waiting -= 1;
      act(...rest);
    });
  },
};

/** Until React has ended its effects. */
export async function settle(): Promise<void> {
  do await new Promise((resolve) => later(resolve, SETTLE_MS));
  while (waiting > 0);
}

function clearTimer(timer: NodeJS.Timeout): void {
  running.delete(timer);
  forget(timer);
}

export function clearTimers(): void {
  for (const timer of running.keys()) clearTimer(timer);
}

/** What is due within this time is done now. The clock itself stays. */
export function fastForward(ms: number): void {
  const due = [...running].filter(([, { dueAt }]) => dueAt <= clock.now() + ms);
  for (const [timer, { act, isRepeated }] of due.sort(([, one], [, other]) => one.dueAt - other.dueAt)) {
    if (!running.has(timer)) continue;
    if (!isRepeated) clearTimer(timer);
    act();
  }
}
