import { type ComponentType, lazy, useState } from "react";

type Module = { default: ComponentType };

/** A part of the page that is loaded when it is first shown; if it was preloaded, it needs no placeholder. */
export function fetched(load: () => Promise<Module>) {
  let Ready: ComponentType | undefined;
  const fetchNow = async () => {
    const module = await load();
    Ready = module.default;
    return module;
  };
  const Later = lazy(fetchNow);
  function Screen() {
    // Chosen once, so that the rendered component keeps its state.
    const [First] = useState(() => Ready);
    return First ? <First /> : <Later />;
  }
  return { Screen, fetchNow };
}
