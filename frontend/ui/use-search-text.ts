import { useEffect, useRef, useState } from "react";

/** Debounce of a search field. */
const TYPING_MS = 250;

export type SearchText = {
  text: string;
  /** The text as it is searched for, also before the address has it. */
  query: string;
  type: (text: string) => void;
  /** Also drops what was typed a moment ago and is not in the address yet. The caller clears the address. */
  clear: () => void;
};

/**
 * The text of a search field whose query is in the address. The field owns its text and the address follows, because a
 * slow device renders an address late, after further letters were typed.
 */
export function useSearchText(inAddress: string, toAddress: (query: string) => void): SearchText {
  const [text, setText] = useState(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** What this field wrote, and the page has not rendered yet. */
  const written = useRef<readonly string[]>([]);
  const latest = useRef({ inAddress, toAddress });
  latest.current = { inAddress, toAddress };

  const stop = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  };
  const type = (next: string) => {
    setText(next);
    stop();
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const query = next.trim();
      if (query === (written.current.at(-1) ?? latest.current.inAddress)) return;
      written.current = [...written.current, query];
      latest.current.toAddress(query);
    }, TYPING_MS);
  };
  const clear = () => {
    stop();
    setText("");
  };

  useEffect(() => {
    const own = written.current.indexOf(inAddress);
    written.current = own < 0 ? [] : written.current.slice(own + 1);
    // By other means: the back button, or a link. What is being typed wins, and is written soon.
    if (own < 0 && timer.current === undefined) setText((now) => (now.trim() === inAddress ? now : inAddress));
  }, [inAddress]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { text, query: text.trim(), type, clear };
}
