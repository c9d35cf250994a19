import type { ReactNode } from "react";
import type { StatusWord } from "../i18n/situation-word.ts";

/** A purchase's status, or that the ticket says it was returned. */
type TicketTone = StatusWord | "returned";

/** The stamp on a ticket. Hollow while pending or once returned, solid when confirmed, struck through when cancelled: shape and word carry the meaning, not only colour. */
export function Stamp({ kind, children }: { kind: TicketTone; children: ReactNode }) {
  return <span className={`stamp stamp-${kind}`}>{children}</span>;
}

export function TornTicket() {
  return (
    <svg className="blank-ticket torn-ticket" aria-hidden="true" viewBox="0 0 320 150" fill="none">
      <path
        d="M164 18l-12 20 16 19-18 20 17 20-15 19 6 20H16a8 8 0 0 1-8-8V26a8 8 0 0 1 8-8z"
        stroke="currentColor"
        strokeWidth="3"
      />
      <path
        d="M182 10l122 20a8 8 0 0 1 7 9l-17 98a8 8 0 0 1-9 7l-113-19 0-21 18-17-14-22 20-17-13-21z"
        stroke="currentColor"
        strokeWidth="3"
      />
      <path d="M30 44h78M30 68h96M30 104h38" stroke="currentColor" strokeWidth="8" opacity=".35" />
      <path d="M226 56l34 34M260 56l-34 34" className="torn-mark" strokeWidth="7" />
    </svg>
  );
}

export function BlankTicket() {
  return (
    <svg className="blank-ticket" aria-hidden="true" viewBox="0 0 320 150" fill="none">
      <path
        d="M8 14h224v0a10 10 0 0 0 20 0h52a8 8 0 0 1 8 8v106a8 8 0 0 1-8 8h-52a10 10 0 0 0-20 0H16a8 8 0 0 1-8-8z"
        stroke="currentColor"
        strokeWidth="3"
        strokeDasharray="9 7"
      />
      <path d="M242 30v90" stroke="currentColor" strokeWidth="3" strokeDasharray="2 8" />
      <path
        d="M30 42h86M30 66h150M30 104h44M92 104h44M154 104h44"
        stroke="currentColor"
        strokeWidth="8"
        opacity=".35"
      />
      <circle cx="277" cy="75" r="19" stroke="currentColor" strokeWidth="3" />
      <path d="M277 56v38M258 75h38" stroke="currentColor" strokeWidth="2" opacity=".5" />
    </svg>
  );
}
