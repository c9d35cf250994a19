import { useCallback, useEffect, useRef, useState } from "react";

const TICK_MS = 100;

export type Countdown = { secondsLeft: number; isPaused: boolean; pause: () => void; resume: () => void };

/** Counts down to a deadline, because timers are throttled in hidden tabs; then calls `onEnd` once. */
export function useCountdown(seconds: number, isRunning: boolean, onEnd: () => void): Countdown {
  const [leftMs, setLeftMs] = useState(seconds * 1_000);
  const [isPaused, setPaused] = useState(false);
  const left = useRef(leftMs);
  const end = useRef(onEnd);
  end.current = onEnd;

  useEffect(() => {
    if (!isRunning || isPaused) return;
    const deadline = Date.now() + left.current;
    const timer = setInterval(() => {
      left.current = Math.max(0, deadline - Date.now());
      setLeftMs(left.current);
      if (left.current > 0) return;
      clearInterval(timer);
      end.current();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning, isPaused]);

  // Restored from the back-forward cache: wait for the user instead of counting down.
  useEffect(() => {
    const stop = (event: PageTransitionEvent) => {
      if (!event.persisted) return;
      left.current = seconds * 1_000;
      setLeftMs(left.current);
      setPaused(true);
    };
    addEventListener("pageshow", stop);
    return () => removeEventListener("pageshow", stop);
  }, [seconds]);

  const pause = useCallback(() => setPaused(true), []);
  const resume = useCallback(() => setPaused(false), []);
  return { secondsLeft: Math.ceil(leftMs / 1_000), isPaused, pause, resume };
}
