import type { Word } from "./words.ts";

/** A state as a word; shape and colour only support it. */
export function StateBadge({ label, tone }: Word) {
  return (
    <span className="state-badge" data-tone={tone}>
      {label}
    </span>
  );
}
