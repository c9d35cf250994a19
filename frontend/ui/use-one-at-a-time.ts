import { type SyntheticEvent, useRef } from "react";

/**
 * Runs one request at a time and ignores presses while it runs. Disabling the button is not enough, because two presses
 * can arrive before it is rendered.
 */
export function useOneAtATime<Input extends readonly unknown[]>(
  work: (...input: Input) => Promise<unknown>,
): (...input: Input) => Promise<void> {
  const isBusy = useRef(false);
  return async (...input) => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await work(...input);
    } finally {
      isBusy.current = false;
    }
  };
}

/** The same for a form, which the browser must never submit itself. */
export function useOneSubmit(work: (event: SyntheticEvent) => Promise<unknown>): (event: SyntheticEvent) => void {
  const submit = useOneAtATime(work);
  return (event) => {
    event.preventDefault();
    submit(event);
  };
}
