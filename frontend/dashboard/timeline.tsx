import type { PurchaseRecord } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import style from "../ui/timeline.module.css";

const STEPS = ["registered", "minted", "confirmed", "paid"] as const;
type Step = (typeof STEPS)[number] | "returned";

/** The life of a purchase: when each step happened, and in which transaction. */
export function Timeline({ purchase, isCompact = false }: { purchase: PurchaseRecord; isCompact?: boolean }) {
  const t = useText();
  const { dateTime } = useFormat();
  const at: Record<Step, string | null> = {
    registered: purchase.created_at,
    minted: purchase.minted_at,
    confirmed: purchase.confirmed_at,
    paid: purchase.paid_at,
    returned: purchase.returned_at ?? null,
  };
  const hash: Record<Step, string | null> = {
    registered: null,
    minted: purchase.mint_tx,
    // The index keeps the transaction of the last status.
    confirmed: at.returned ? null : purchase.status_tx,
    paid: purchase.payment_tx,
    returned: purchase.status_tx,
  };
  const steps: readonly Step[] = at.returned
    ? [...STEPS.filter((step) => step !== "paid" || at.paid), "returned"]
    : STEPS;
  const done = new Set(steps.filter((step) => at[step] || isReached(purchase, step)));
  const current = steps.find((step) => !done.has(step));
  return (
    <ol className={isCompact ? `${style.timeline} ${style.compact} mt-2` : style.timeline}>
      {steps.map((step) => (
        <li key={step} data-state={done.has(step) ? "done" : step === current ? "current" : "ahead"}>
          <span className={style.mark} aria-hidden="true" />
          <span>
            {step === "returned" ? t("status.returned") : t(`timeline.${step}`)}
            <span className="sr-only">
              {" "}
              {t(done.has(step) ? "timeline.done" : step === current ? "timeline.current" : "timeline.ahead")}
            </span>
          </span>
          {!isCompact && at[step] && <time dateTime={at[step]}>{dateTime(at[step])}</time>}
          {!isCompact && hash[step] && (
            <code title={hash[step]}>{`${hash[step].slice(0, 10)}…${hash[step].slice(-6)}`}</code>
          )}
        </li>
      ))}
    </ol>
  );
}

function isReached(purchase: PurchaseRecord, step: Step): boolean {
  if (step === "minted") return purchase.status !== "processing";
  if (step === "confirmed") return purchase.status === "confirmed" || Boolean(purchase.returned_at);
  return step === "paid" && purchase.cashback_state !== "unpaid";
}
