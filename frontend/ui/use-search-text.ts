import { useEffect, useRef, useState } from "react";

const TYPING_MS = 250;

export type SearchText = {
  text: string;
  /** The text being searched for, even before the URL contains it. */
  query: string;
  type: (text: string) => void;
  /** Also drops text that is not in the URL yet. The caller clears the URL. */
  clear: () => void;
};

/**
 * The text of a search field whose query is in the URL. The field owns its text and the URL follows, because a slow
 * device renders a new URL late, after more letters were typed.
 */
export function useSearchText(inAddress: string, toAddress: (query: string) => void): SearchText {
  const [text, setText] = useState(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The queries that this field wrote to the URL and the page has not rendered yet. */
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
    // Changed by the back button or a link. Text that is being typed wins: it is written to the URL soon.
    if (own < 0 && timer.current === undefined) setText((now) => (now.trim() === inAddress ? now : inAddress));
  }, [inAddress]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { text, query: text.trim(), type, clear };
}
