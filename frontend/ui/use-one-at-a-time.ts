import { type SyntheticEvent, useRef } from "react";

/**
 * Runs a request one at a time: presses while one is under way do nothing. A button that is disabled meanwhile is not
 * enough, because two presses can come before it is rendered.
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

/** The same for a form. The browser must not send it itself, whichever press it is. */
export function useOneSubmit(work: (event: SyntheticEvent) => Promise<unknown>): (event: SyntheticEvent) => void {
  const submit = useOneAtATime(work);
  return (event) => {
    event.preventDefault();
    submit(event);
  };
}
