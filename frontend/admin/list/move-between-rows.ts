import type { KeyboardEvent } from "react";

/** Arrow keys, Home and End move the focus between the rows' links (`data-row`); Enter opens, as it does on any link. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement;
  if (event.altKey || event.ctrlKey || event.metaKey || target.closest("input, select, textarea")) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const row = target.closest("tr, li")?.querySelector<HTMLElement>("[data-row]");
  const next = row && targetOf(event.key, rows.indexOf(row), rows.length);
  if (next === undefined || next === null) return;
  event.preventDefault();
  rows[next]?.focus();
}

function targetOf(key: string, index: number, count: number): number | undefined {
  if (key === "ArrowDown") return Math.min(index + 1, count - 1);
  if (key === "ArrowUp") return Math.max(index - 1, 0);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
