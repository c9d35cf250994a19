import { useState } from "react";
import { Link } from "react-router";
import { operationSchema } from "../../../core/rules/api/operations.ts";
import { isMove } from "../../../core/rules/purchase/life.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { retryOperation } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import style from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import { sumOfChz } from "../list/bulk.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { viewHref } from "../list/list-address.ts";
import type { OperationRecord } from "../shapes.ts";
import { t } from "../texts.ts";
import { operationKind, operationWhy, optionsOf, PAYMENT_WORDS, wordOf } from "../words.ts";
import { Why } from "./why.tsx";

/** Everything sent to the chain: tickets, store names, payouts. docs/product.md#panel-lists. */
export function OperationsView() {
  const { chz } = useFormat();
  const [retrying, setRetrying] = useState<OperationRecord>();
  return (
    <>
      <AdminList list={useOperationsList(setRetrying)} />
      {retrying && (
        <DecisionDialog
          title={t("operations.retry.title", { id: retrying.id })}
          text={t("operations.retry.text")}
          consequences={[
            [t("what"), nameOf(retrying)],
            ...(retrying.amount === null ? [] : [[t("willBeSent"), chz(retrying.amount)] as const]),
            [t("stoppedBecause"), operationWhy(retrying.reason) ?? "–"],
          ]}
          action={t("retry")}
          reasonHint={t("reasonHint.log")}
          done={t("operations.retry.done")}
          decide={(reason) => retryOperation(retrying.id, reason)}
          onClose={() => setRetrying(undefined)}
        />
      )}
    </>
  );
}

/** "Pagar o cashback, nº 7" */
const nameOf = ({ kind, subject_id: id }: OperationRecord): string =>
  t("logPart.operation", { what: operationKind(kind), id });
const isStuck = ({ state }: OperationRecord): boolean => state === "waiting" || state === "failed";
const isOfStore = ({ kind }: OperationRecord): boolean => !isMove(kind);

function useOperationsList(onRetry: (operation: OperationRecord) => void): ListDefinition<OperationRecord> {
  const { chz, dateTime } = useFormat();
  return {
    path: "/api/admin/operations",
    row: operationSchema,
    title: t("view.operations"),
    noun: "operation",
    search: t("operations.search"),
    states: optionsOf(PAYMENT_WORDS),
    waiting: ({ failed_operations }) => ({ failed: failed_operations }),
    allStates: t("operations.all"),
    refreshMs: 15_000,
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <Link
        to={
          isOfStore(row)
            ? viewHref({ tab: "stores" })
            : viewHref({ view: "purchases" }, { row: String(row.subject_id) })
        }
        className={style.link}
        data-row=""
      >
        {operationKind(row.kind)}
        <span className={`${style.note} figures`}>
          {t(isOfStore(row) ? "operations.store" : "operations.purchase", { id: row.subject_id })}
        </span>
      </Link>
    ),
    columns: [
      { header: t("status"), cell: (row) => <StateBadge {...wordOf(PAYMENT_WORDS, row.state)} /> },
      { header: t("why"), cell: (row) => <Why operation={row} /> },
      { header: "CHZ", isFigure: true, cell: (row) => (row.amount === null ? "–" : chz(row.amount)) },
      { header: t("since"), cell: (row) => <time dateTime={row.since}>{dateTime(row.since)}</time> },
    ],
    bulk: {
      permission: "payments",
      fits: isStuck,
      what: "operations",
      consequences: (rows) => [
        [t("willBeSent"), chz(sumOfChz(rows))],
        [t("view.operations"), rows.map(nameOf).join(", ")],
      ],
      decide: (row, reason) => retryOperation(row.id, reason),
    },
    actions: (row) =>
      isStuck(row) && (
        <PermittedButton permission="payments" onClick={() => onRetry(row)}>
          {t("retry")}
          <span className="sr-only"> {t("operations.numberLow", { id: row.id })}</span>
        </PermittedButton>
      ),
    empty: { title: t("operations.none"), hint: t("operations.none.hint") },
  };
}
