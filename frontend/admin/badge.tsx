import style from "./badge.module.css";
import { t } from "./texts.ts";
import type { Word } from "./words.ts";

/** A state as a word; shape and colour are only supplementary. */
export function StateBadge({ label, tone }: Word) {
  return (
    <span className={`badge ${style.state}`} data-tone={tone}>
      {label}
    </span>
  );
}

/** How many rows wait for somebody. */
export function WaitingCount({ count }: { count: number }) {
  return (
    <span className={style.count}>
      <span className="figures">{count > 99 ? "99+" : count}</span>
      <span className="sr-only"> {t("waiting")}</span>
    </span>
  );
}
