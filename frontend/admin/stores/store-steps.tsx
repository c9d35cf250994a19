import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { StateBadge } from "../badge.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import adminListStyle from "../list/admin-list.module.css";
import panelStyle from "../panel.module.css";
import type { ListedStore } from "../shapes.ts";
import { t, textOf } from "../texts.ts";
import { STORE_WORDS, wordOf } from "../words.ts";
import { NEEDED, type StoreStep } from "./steps.ts";
import style from "./store-steps.module.css";

type StoreStepsProps = {
  storeId: string;
  steps: readonly StoreStep[];
  /** Whether it shows on the site. */
  isReady: boolean;
  /** Why nobody can buy there for now. */
  paused: Paused | null | undefined;
  /** Where a step is done; undefined where it happens by itself. */
  actionOf: (step: StoreStep) => ReactNode;
};

/** Draft or ready, and what is left until a shopper earns there: a list that shrinks. docs/product.md#store-draft */
export function StoreSteps({ storeId, steps, isReady, paused, actionOf }: StoreStepsProps) {
  const section = useRef<HTMLElement>(null);
  const { length } = steps;
  const before = useRef(length);
  useEffect(() => {
    // The button of the step that is done had the focus, and is gone.
    if (length < before.current && document.activeElement === document.body) section.current?.focus();
    before.current = length;
  }, [length]);
  return (
    <section ref={section} tabIndex={-1} className={panelStyle.summary} aria-label={t("step.title")}>
      <div className={style.state}>
        <StateBadge {...wordOf(STORE_WORDS, isReady ? (paused ? "paused" : "ready") : "draft")} />
        <p role="status">{isReady && paused ? pausedText(paused) : headline(steps, isReady)}</p>
        {isReady && (
          <Link className="link" to={paths.store(storeId)}>
            {t("step.site")}
          </Link>
        )}
      </div>
      {length > 0 && (
        <ol className={style.steps}>
          {steps.map((step) => (
            <li key={step}>
              <span>
                {t(`step.lacks.${step}`)}
                {NEEDED.has(step) && step !== "chain_name" && (
                  <span className={adminListStyle.note}>{t("step.needed")}</span>
                )}
              </span>
              {actionOf(step)}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

type Paused = NonNullable<ListedStore["paused"]>;

/** Why the store's network keeps its buyers away. */
export function pausedText({ reason }: Paused): string {
  return textOf("store.paused", reason) ?? t("store.paused.paused");
}

function headline({ length: count }: readonly StoreStep[], isReady: boolean): string {
  if (!isReady) return t("store.draft", { count });
  return count === 0 ? t("store.sells") : t("store.sellsWith", { count });
}

type StepButtonProps = { what: string; isNext: boolean; onClick: () => void };

export function StepButton({ what, isNext, onClick }: StepButtonProps) {
  return (
    <PermittedButton
      permission="catalogue"
      className={isNext ? "button button-small" : "button button-small button-quiet"}
      onClick={onClick}
    >
      {t("step.fill")}
      <span className="sr-only"> – {what}</span>
    </PermittedButton>
  );
}
