import type { Word } from "./words.ts";

/** A state as a word; shape and colour are only supplementary. */
export function StateBadge({ label, tone }: Word) {
  return (
    <span className="state-badge" data-tone={tone}>
      {label}
    </span>
  );
}
