import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from "react";

/** Where the focus is placed in a table row: the row's link, or the row itself. */
export const placeInRow = (row: HTMLElement): HTMLElement => row.querySelector<HTMLElement>("[data-row]") ?? row;

/** If the row with the focus disappears, as after a decision, the row that follows it gets the focus. */
export function useFocusOfLostRow(body: RefObject<HTMLTableSectionElement | null>, keys: readonly string[]) {
  const last = useRef<{ key: string; index: number }>(undefined);
  useLayoutEffect(() => {
    const { key, index } = last.current ?? {};
    if (key === undefined || index === undefined || keys.includes(key) || document.activeElement !== document.body)
      return;
    const row = body.current?.rows[Math.min(index, keys.length - 1)];
    if (row) placeInRow(row).focus({ preventScroll: true });
  });
  return ({ target }: FocusEvent<HTMLElement>): void => {
    const index = target.closest("tr")?.sectionRowIndex;
    const key = index === undefined ? undefined : keys[index];
    last.current = index === undefined || key === undefined ? undefined : { key, index };
  };
}

/** Arrow keys, Home and End move the focus between the rows' links (`data-row`); Enter opens, as it does on any link. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const { target } = event;
  if (!(target instanceof Element)) return;
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
