import { type ComponentType, lazy, useState } from "react";

/** A part of the page that is loaded when it is first shown; if it was preloaded, it needs no placeholder. */
export function fetched<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  let Ready: ComponentType | undefined;
  const fetchNow = async () => {
    const module = await load();
    Ready = module[name];
    return { default: Ready };
  };
  const Later = lazy(fetchNow);
  function Screen() {
    // Chosen once, so that the rendered component keeps its state.
    const [First] = useState(() => Ready);
    return First ? <First /> : <Later />;
  }
  return { Screen, fetchNow };
}

/** Loads what the user points at. A failure occurs again, and is shown, when it is rendered. */
export const fetchAhead = (fetchNow: () => Promise<unknown>): Promise<unknown> => fetchNow().catch(() => {});
