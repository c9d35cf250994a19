import { useEffect, useState, useSyncExternalStore } from "react";
import { DAY_MS } from "../../domain/iso-time.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { useSession } from "../session/session.tsx";

/** Newer figures count as current: they are reloaded at least this often while the page is visible. */
const CURRENT_MS = 90_000;
const LOOK_MS = 10_000;

/**
 * The time of the figures; after sleep or without a connection it says that they may have changed.
 * docs/product.md#dashboard
 */
export function AsOf() {
  const t = useText();
  const { time, dateTime } = useFormat();
  const { loadedAt } = useSession();
  const isOnline = useOnline();
  const now = useNow();
  if (!loadedAt) return null;
  const isOld = now - loadedAt > CURRENT_MS;
  const iso = new Date(loadedAt).toISOString();
  const when = now - loadedAt > DAY_MS ? dateTime(iso) : time(iso);
  return (
    <p role="status" className={isOld || !isOnline ? "as-of as-of-old" : "as-of"}>
      {t(isOnline ? (isOld ? "asOf.old" : "asOf") : "asOf.offline", { time: when })}
    </p>
  );
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      addEventListener("online", changed);
      addEventListener("offline", changed);
      return () => {
        removeEventListener("online", changed);
        removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine,
  );
}

/** The current time, updated periodically and when the page becomes visible. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const look = () => setNow(Date.now());
    const timer = setInterval(look, LOOK_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return now;
}
