import type { Connector, useConfig } from "wagmi";
import { reconnect, watchConnectors } from "wagmi/actions";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";

/** A phone's wallet sets `window.ethereum` seconds after the page has started. */
const LOOK_MS = 500;
const LOOKS = 30;

/**
 * Restores the wallet of the page before where it starts later than the page: when it announces itself, or sets
 * `window.ethereum`. Returns a function that ends it. docs/product.md#wallet
 */
export function restoreLate(config: ReturnType<typeof useConfig>): () => void {
  const isWanted = ({ id }: Connector) => JSON.stringify(id) === readStored(STORAGE_KEYS.recentConnector);
  const restore = (connectors: readonly Connector[]) => {
    const late = connectors.filter(isWanted);
    if (late.length > 0 && config.state.status === "disconnected") void reconnect(config, { connectors: late });
  };
  const stopWatching = watchConnectors(config, { onChange: restore });
  let looks = "ethereum" in window ? LOOKS : 0;
  const timer = setInterval(() => {
    const isThere = "ethereum" in window;
    if (isThere) restore(config.connectors.filter(({ id }) => id === "injected"));
    if (isThere || ++looks >= LOOKS) clearInterval(timer);
  }, LOOK_MS);
  return () => {
    stopWatching();
    clearInterval(timer);
  };
}
