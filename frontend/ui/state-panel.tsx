import type { ReactNode } from "react";
import { reasonOf } from "../api/reason-of.ts";
import { useText } from "../i18n/language.tsx";
import { Icon } from "./icon.tsx";
import { BlankTicket, TornTicket } from "./ticket.tsx";

/** An empty state: what it means, and what to do. */
export function EmptyPanel({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="state-panel">
      <BlankTicket />
      <p className="state-title">{title}</p>
      {hint && <p className="muted">{hint}</p>}
      {children && <div className="mt-2 flex flex-wrap justify-center gap-3">{children}</div>}
    </div>
  );
}

type Retried = { error: unknown; refetch: () => unknown; isFetching: boolean };

/** A failure with a retry button; an error is never shown as an empty list. */
export function RetryPanel({ title, reason, query }: { title: string; reason?: string | undefined; query: Retried }) {
  const t = useText();
  return (
    <div className="state-panel" role="alert">
      <TornTicket />
      <p className="state-title">{title}</p>
      <p className="muted">{reason ?? reasonOf(query.error, t)}</p>
      <button type="button" className="button" onClick={() => query.refetch()} disabled={query.isFetching}>
        <Icon name="refresh" />
        {t("common.retry")}
      </button>
    </div>
  );
}
