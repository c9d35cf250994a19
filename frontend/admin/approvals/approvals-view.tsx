import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { useFormat } from "../../i18n/use-format.ts";
import { useSession } from "../../session/session.tsx";
import { getConfiguration } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { ShortWallet } from "../facts.tsx";
import { AdminList } from "../list/admin-list.tsx";
import { BY_AGE_OR_AMOUNT, type ListDefinition } from "../list/definition.ts";
import type { Approval } from "../shapes.ts";
import { APPROVAL_WORDS, optionsOf, wordOf } from "../words.ts";
import { type ApprovalDecision, ApprovalDialog } from "./approval-dialogs.tsx";
import { approvalHref, askedFor } from "./asked-for.ts";

type Deciding = { kind: ApprovalDecision; approval: Approval };

/** Payouts above the threshold: requested by one admin, decided by another. docs/product.md#panel-approvals. */
export function ApprovalsView() {
  const [deciding, setDeciding] = useState<Deciding>();
  return (
    <div className="grid gap-5">
      <Rule />
      <AdminList list={useApprovalsList((kind, approval) => setDeciding({ kind, approval }))} />
      {deciding && <ApprovalDialog {...deciding} onClose={() => setDeciding(undefined)} />}
    </div>
  );
}

/** The threshold for two-person approval. */
function Rule() {
  const { chz } = useFormat();
  const { data } = useQuery({ queryKey: ["own", "configuration"], queryFn: getConfiguration, staleTime: 60_000 });
  if (!data) return null;
  const limit = data.find(({ name }) => name === "APPROVAL_ABOVE_CHZ")?.value ?? null;
  return (
    <p className="hint">
      {limit === null ? (
        <>
          Hoje uma pessoa sozinha paga qualquer valor. Para pedir duas, configure <code>APPROVAL_ABOVE_CHZ</code> no
          servidor.
        </>
      ) : (
        `Pagamentos à mão acima de ${chz(limit)} pedem duas pessoas: uma pede, outra aprova, e quem pediu conclui. Cada passo vale por um dia.`
      )}
    </p>
  );
}

type OnDecide = (kind: ApprovalDecision, approval: Approval) => void;

function useApprovalsList(onDecide: OnDecide): ListDefinition<Approval> {
  const { chz, dateTime } = useFormat();
  const wallet = useSession().profile?.wallet.toLowerCase();
  return {
    path: "/api/admin/approvals",
    title: "Aprovações",
    noun: ["pedido", "pedidos"],
    search: "número, compra ou carteira",
    states: optionsOf(APPROVAL_WORDS),
    allStates: "Todos",
    sorts: BY_AGE_OR_AMOUNT.map((one) => ({ ...one, label: one.label.replace(/as$/, "os") })),
    refreshMs: 15_000,
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <Link to={approvalHref(row)} className="row-link" data-row="">
        {askedFor(row)}
        <span className="row-note figures">Pedido nº {row.id}</span>
      </Link>
    ),
    columns: [
      {
        header: "Situação",
        cell: (row) => (
          <>
            <StateBadge {...wordOf(APPROVAL_WORDS, row.state)} />
            {row.expires_at && <span className="row-note">Vale até {dateTime(row.expires_at)}</span>}
            {row.decision_reason && <span className="row-note">“{row.decision_reason}”</span>}
          </>
        ),
      },
      {
        header: "Quem pediu",
        cell: (row) => (
          <>
            {row.asked_by === wallet ? "Você" : <ShortWallet address={row.asked_by} />}
            {row.reason && <span className="row-note">“{row.reason}”</span>}
          </>
        ),
      },
      { header: "Para", cell: (row) => (row.wallet === null ? "–" : <ShortWallet address={row.wallet} />) },
      { header: "CHZ", isFigure: true, cell: (row) => chz(row.amount) },
      {
        header: "Quem decidiu",
        cell: (row) =>
          row.decided_by === null ? (
            <span className="muted">–</span>
          ) : row.decided_by === wallet ? (
            "Você"
          ) : (
            <ShortWallet address={row.decided_by} />
          ),
      },
      { header: "Pedido em", cell: (row) => <time dateTime={row.created_at}>{dateTime(row.created_at)}</time> },
    ],
    actions: (row) => <Actions approval={row} isOwn={row.asked_by === wallet} onDecide={onDecide} />,
    empty: {
      title: "Nenhum pedido ainda",
      hint: "Quando um pagamento à mão passa do valor configurado, ele aparece aqui para outra pessoa aprovar.",
    },
  };
}

type ConcludeProps = { approval: Approval; onDecide: OnDecide };

/** Who asked concludes an approved request; another admin decides an open one. */
function Actions({ approval, isOwn, onDecide }: ConcludeProps & { isOwn: boolean }) {
  if (approval.state === "approved" && isOwn) return <Conclude approval={approval} onDecide={onDecide} />;
  if (approval.state !== "open") return null;
  if (isOwn) return <span className="row-note">Espera outra pessoa.</span>;
  return (
    <>
      <PermittedButton
        permission="payments"
        className="button button-small"
        onClick={() => onDecide("approve", approval)}
      >
        Aprovar<span className="sr-only"> – pedido nº {approval.id}</span>
      </PermittedButton>
      <PermittedButton permission="payments" onClick={() => onDecide("refuse", approval)}>
        Recusar<span className="sr-only"> – pedido nº {approval.id}</span>
      </PermittedButton>
    </>
  );
}

/** Completes a payout that needs no further input; any other is completed where it was requested. */
function Conclude({ approval, onDecide }: ConcludeProps) {
  if (approval.action === "sale.assign" || approval.action === "claim.match") {
    return (
      <Link className="button button-small" to={approvalHref(approval)}>
        Concluir<span className="sr-only"> – pedido nº {approval.id}</span>
      </Link>
    );
  }
  return (
    <PermittedButton
      permission={approval.action === "sale.release" ? "sales" : "payments"}
      className="button button-small"
      onClick={() => onDecide("conclude", approval)}
    >
      Concluir<span className="sr-only"> – pedido nº {approval.id}</span>
    </PermittedButton>
  );
}
