import { DAY_MS } from "../../core/rules/iso-time.ts";
import type { Click } from "../api/calls.ts";

const SHOWN = 3;
/** Nearly every sale is reported by then; later, the list of visits is the place for a claim. */
const WAIT_MS = 7 * DAY_MS;

/** The latest visit to each store within a week, unless it reported a sale since. */
export function openVisits(clicks: readonly Click[], nowMs: number): Click[] {
  const latest = [...new Map(clicks.toReversed().map((click) => [click.store_id, click])).values()];
  return latest
    .filter(({ sales, created_at }) => sales === 0 && nowMs - Date.parse(created_at) < WAIT_MS)
    .sort((one, other) => other.created_at.localeCompare(one.created_at))
    .slice(0, SHOWN);
}
