import { useState } from "react";
import { Link } from "react-router";
import { operationSchema } from "../../../core/rules/api/operations.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { retryOperation } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { AdminList } from "../list/admin-list.tsx";
import { sumOfChz } from "../list/bulk.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { viewHref } from "../list/list-address.ts";
import type { OperationRecord } from "../shapes.ts";
import { OPERATION_KINDS, operationWhy, optionsOf, PAYMENT_WORDS, wordOf } from "../words.ts";
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
          title={`Tentar de novo a transação nº ${retrying.id}?`}
          text="Ela volta para a fila agora. O que já foi feito na rede não se repete."
          consequences={[
            ["O quê", `${kindOf(retrying)}, nº ${retrying.subject_id}`],
            ...(retrying.amount === null ? [] : [["Vai ser enviado", chz(retrying.amount)] as const]),
            ["Parou porque", operationWhy(retrying.reason) ?? "–"],
          ]}
          action="Tentar de novo"
          reasonHint="Fica no registro."
          done="A transação voltou para a fila."
          decide={(reason) => retryOperation(retrying.id, reason)}
          onClose={() => setRetrying(undefined)}
        />
      )}
    </>
  );
}

const kindOf = ({ kind }: OperationRecord): string => OPERATION_KINDS[kind] ?? kind;
const isStuck = ({ state }: OperationRecord): boolean => state === "waiting" || state === "failed";
const isOfStore = ({ kind }: OperationRecord): boolean => kind.endsWith("_store");

function useOperationsList(onRetry: (operation: OperationRecord) => void): ListDefinition<OperationRecord> {
  const { chz, dateTime } = useFormat();
  return {
    path: "/api/admin/operations",
    row: operationSchema,
    title: "Transações",
    noun: ["transação", "transações"],
    search: "número, compra ou loja",
    states: optionsOf(PAYMENT_WORDS),
    waiting: ({ failed_operations }) => ({ failed: failed_operations }),
    allStates: "Paradas",
    refreshMs: 15_000,
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <Link
        to={
          isOfStore(row)
            ? viewHref({ tab: "stores" })
            : viewHref({ view: "purchases" }, { row: String(row.subject_id) })
        }
        className="row-link"
        data-row=""
      >
        {kindOf(row)}
        <span className="row-note figures">
          {isOfStore(row) ? "Loja" : "Compra"} nº {row.subject_id}
        </span>
      </Link>
    ),
    columns: [
      { header: "Situação", cell: (row) => <StateBadge {...wordOf(PAYMENT_WORDS, row.state)} /> },
      { header: "Por quê", cell: (row) => <Why operation={row} /> },
      { header: "CHZ", isFigure: true, cell: (row) => (row.amount === null ? "–" : chz(row.amount)) },
      { header: "Desde", cell: (row) => <time dateTime={row.since}>{dateTime(row.since)}</time> },
    ],
    bulk: {
      permission: "payments",
      fits: isStuck,
      action: "Tentar de novo",
      what: (count) => `as ${count} transações paradas`,
      text: "Voltam para a fila agora. O que já foi feito na rede não se repete.",
      consequences: (rows) => [
        ["Vai ser enviado", chz(sumOfChz(rows))],
        ["Transações", rows.map((row) => `${kindOf(row)} nº ${row.subject_id}`).join(", ")],
      ],
      decide: (row, reason) => retryOperation(row.id, reason),
    },
    actions: (row) =>
      isStuck(row) && (
        <PermittedButton permission="payments" onClick={() => onRetry(row)}>
          Tentar de novo<span className="sr-only"> – transação nº {row.id}</span>
        </PermittedButton>
      ),
    empty: { title: "Nada parado", hint: "Tudo o que foi enviado à rede Chiliz seguiu." },
  };
}
