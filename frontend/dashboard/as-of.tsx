import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { meQuery } from "../api/queries.ts";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import style from "./as-of.module.css";

/** Newer figures count as current: they are reloaded at least this often while the page is visible. */
const CURRENT_MS = 90_000;
const LOOK_MS = 10_000;

/**
 * The time of the figures; after sleep or without a connection it says that they may have changed. Rendered only when
 * its sentence changes, however often the figures are loaded. docs/product.md#dashboard
 */
export function AsOf() {
  const t = useText();
  const { time, dateTime } = useFormat();
  const client = useQueryClient();
  const loadedAt = () => client.getQueryState(meQuery(readStored(STORAGE_KEYS.token)).queryKey)?.dataUpdatedAt ?? 0;
  const isOld = () => !navigator.onLine || Date.now() - loadedAt() > CURRENT_MS;
  const sentence = () => {
    const iso = new Date(loadedAt()).toISOString();
    const when = Date.now() - loadedAt() > DAY_MS ? dateTime(iso) : time(iso);
    return t(navigator.onLine ? (isOld() ? "asOf.old" : "asOf") : "asOf.offline", { time: when });
  };
  const changes = useChanges();
  const isMarked = useSyncExternalStore(changes, isOld);
  const text = useSyncExternalStore(changes, () => (loadedAt() ? sentence() : ""));
  return (
    text && (
      <p role="status" className={isMarked ? `${style.asOf} ${style.old}` : style.asOf}>
        {text}
      </p>
    )
  );
}

/** Everything that the sentence depends on: the figures, the connection, and the time. */
function useChanges() {
  const client = useQueryClient();
  return useCallback(
    (look: () => void) => {
      const timer = setInterval(look, LOOK_MS);
      const unsubscribe = client.getQueryCache().subscribe(look);
      const events = [
        [window, "online"],
        [window, "offline"],
        [document, "visibilitychange"],
      ] as const;
      for (const [target, event] of events) target.addEventListener(event, look);
      return () => {
        clearInterval(timer);
        unsubscribe();
        for (const [target, event] of events) target.removeEventListener(event, look);
      };
    },
    [client],
  );
}
