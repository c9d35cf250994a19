import { useRef, useState } from "react";
import type { Decided } from "../../../core/rules/api/common.ts";
import { formatDecimal, parseDecimal } from "../../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../../core/rules/product.ts";
import type { PanelPermission as Permission } from "../../../core/rules/roles.ts";
import { ApiError } from "../../api/http.ts";
import { useIsShown } from "../../ui/use-is-shown.ts";
import { DecisionDialog, isSignInTooOld, PartlyDone } from "../decisions/decision-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import type { FactRow } from "../facts.tsx";
import { refusalOf } from "../refusals.ts";
import { type CodeOf, t } from "../texts.ts";
import style from "./bulk.module.css";

/** The sum of amounts in CHZ; rows without one count nothing. */
export const sumOfChz = (rows: readonly { amount: string | null }[]): string => sumOf(rows, CHZ_DECIMALS);

/** The sum of decimal texts with at most so many places. */
export const sumOf = (rows: readonly { amount: string | null }[], decimals: number): string =>
  formatDecimal(
    rows.reduce((sum, { amount }) => sum + parseDecimal(amount ?? "0", decimals), 0n),
    decimals,
  );

/** One decision on every row of the page that it fits, with one confirmation and one reason. */
export type Bulk<Row> = {
  permission: Permission;
  fits: (row: Row) => boolean;
  /** What the rows are, in the families `bulk.button`, `bulk.title`, `bulk.text` and `bulk.action`. */
  what: CodeOf<"bulk.button">;
  /** Whether payouts may follow from it. */
  mayPay?: boolean;
  /** It can be undone, so nobody is asked why. */
  isWithoutReason?: true;
  consequences: (rows: readonly Row[]) => readonly FactRow[];
  decide: (row: Row, reason: string) => Promise<Decided>;
};

type BulkButtonProps<Row> = { bulk: Bulk<Row>; rows: readonly Row[]; keyOf: (row: Row) => string };

/** Nothing for a single row, which has its own button. */
export function BulkButton<Row>({ bulk, rows, keyOf }: BulkButtonProps<Row>) {
  /** Those that the dialog is about: the list may change under it. */
  const [deciding, setDeciding] = useState<readonly Row[]>();
  const fitting = rows.filter(bulk.fits);
  return (
    <>
      {fitting.length > 1 && (
        <div className={style.bulk}>
          <PermittedButton permission={bulk.permission} onClick={() => setDeciding(fitting)}>
            {t(`bulk.button.${bulk.what}`, { count: fitting.length })}
          </PermittedButton>
        </div>
      )}
      {deciding && <BulkDialog bulk={bulk} rows={deciding} keyOf={keyOf} onClose={() => setDeciding(undefined)} />}
    </>
  );
}

function BulkDialog<Row>({ bulk, rows, keyOf, onClose }: BulkButtonProps<Row> & { onClose: () => void }) {
  const [progress, setProgress] = useState<Progress>();
  const decideAll = useDecideAll(bulk, rows, keyOf, setProgress);
  return (
    <DecisionDialog
      title={t(`bulk.title.${bulk.what}`, { count: rows.length })}
      text={t(`bulk.text.${bulk.what}`)}
      consequences={bulk.consequences(rows)}
      mayPay={bulk.mayPay ?? false}
      action={t(`bulk.action.${bulk.what}`, { count: rows.length })}
      {...(bulk.isWithoutReason ? {} : { reasonHint: t("bulk.reasonHint") })}
      done={t("bulk.done", { done: rows.length, all: rows.length })}
      preview={
        progress && (
          <p className="hint" role="status">
            {progress.pauseSeconds === undefined
              ? t("bulk.done", { done: progress.done, all: rows.length })
              : t("bulk.pause", { done: progress.done, all: rows.length, seconds: progress.pauseSeconds })}
          </p>
        )
      }
      decide={decideAll}
      onClose={onClose}
    />
  );
}

/** How many are done, and how long nothing is sent because the purse of the calls is empty. docs/product.md#purses */
type Progress = { done: number; pauseSeconds?: number };

/**
 * Decides one after the other, each in its own transaction. What is done is not done again when the rest is tried again,
 * and what is one call too many waits, unless the dialog was closed meanwhile.
 * @throws PartlyDone if the server refused some, after all others
 */
function useDecideAll<Row>(
  bulk: Bulk<Row>,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  tell: (progress: Progress | undefined) => void,
) {
  const done = useRef(new Set<string>());
  const isShown = useIsShown();
  return async (reason: string): Promise<Decided | undefined> => {
    const open = rows.filter((row) => !done.current.has(keyOf(row)));
    const pause = async (pauseSeconds: number) => {
      tell({ done: done.current.size, pauseSeconds });
      await new Promise((resolve) => setTimeout(resolve, pauseSeconds * 1_000));
      return isShown();
    };
    const { refused, waitsForSecond } = await decideEach(open, { keyOf, pause }, async (row) => {
      const answer = await bulk.decide(row, reason);
      // At once: a sign-in that has become too old ends the others, and not this one.
      done.current.add(keyOf(row));
      tell({ done: done.current.size });
      return answer;
    });
    tell(undefined);
    if (refused.size > 0) {
      throw new PartlyDone(
        [
          t("bulk.done", { done: done.current.size, all: rows.length }),
          ...[...refused].map(([id, why]) => t("bulk.refused", { id, why })),
          ...(waitsForSecond ? [t("bulk.waits")] : []),
        ].join(" "),
      );
    }
    return waitsForSecond;
  };
}

/** Nobody keeps a dialog open for longer. */
const LONGEST_PAUSE_SECONDS = 120;

/** `pause` waits so many seconds, and says whether to go on. */
type Manner<Row> = { keyOf: (row: Row) => string; pause: (seconds: number) => Promise<boolean> };

async function decideEach<Row>(
  rows: readonly Row[],
  { keyOf, pause }: Manner<Row>,
  decide: (row: Row) => Promise<Decided>,
) {
  const refused = new Map<string, string>();
  let waitsForSecond: Decided | undefined;
  const left = [...rows];
  for (let row = left.shift(); row !== undefined; row = left.shift()) {
    try {
      const answer = await decide(row);
      if (answer.approval_id !== undefined) waitsForSecond = answer;
    } catch (error) {
      if (isSignInTooOld(error)) throw error;
      const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
      if (seconds === undefined || seconds > LONGEST_PAUSE_SECONDS) {
        refused.set(keyOf(row), refusalOf(error) ?? t("bulk.wrong"));
      } else if (await pause(seconds)) {
        left.unshift(row);
      } else {
        break;
      }
    }
  }
  return { refused, waitsForSecond };
}
