import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { approvalSchema } from "../../../core/rules/api/admin-approvals.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { approvePayment, refusePayment } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { aloneLimitQuery } from "../decisions/alone-notice.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { ShortWallet, WholeWallet } from "../facts.tsx";
import { AdminList } from "../list/admin-list.tsx";
import { BY_AGE_OR_AMOUNT, type ListDefinition } from "../list/definition.ts";
import { viewHref } from "../list/list-address.ts";
import type { Approval } from "../shapes.ts";
import { APPROVAL_WORDS, optionsOf, wordOf } from "../words.ts";
import { ApprovalGroups } from "./approval-groups.tsx";
import { ApproveOrRefuse, Decider } from "./decider.tsx";
import { PercentApprovals } from "./percent-approvals.tsx";
import { Proposals } from "./proposals.tsx";

type Deciding = { kind: ApprovalDecision; approval: Approval };

/** Payouts above the threshold, which wait for a second person. docs/product.md#panel-approvals. */
export function ApprovalsView() {
  const [deciding, setDeciding] = useState<Deciding>();
  return (
    <div className="grid gap-5">
      <Proposals />
      <PercentApprovals />
      <Rule />
      <ApprovalGroups />
      <AdminList list={useApprovalsList((kind, approval) => setDeciding({ kind, approval }))} />
      {deciding && <ApprovalDialog {...deciding} onClose={() => setDeciding(undefined)} />}
    </div>
  );
}

/** The threshold for two-person approval. */
function Rule() {
  const { chz } = useFormat();
  const { data: limit } = useQuery(aloneLimitQuery);
  if (limit === undefined) return null;
  return (
    <p className="hint">
      {limit === null ? (
        <>
          Hoje uma pessoa sozinha paga qualquer valor. Para pedir duas, configure <code>APPROVAL_ABOVE_CHZ</code> no
          servidor.
        </>
      ) : (
        `Quando as decisões de uma pessoa passam de ${chz(limit)} num dia, outra pessoa precisa concordar com cada pagamento seguinte.`
      )}
    </p>
  );
}

type OnDecide = (kind: ApprovalDecision, approval: Approval) => void;

function useApprovalsList(onDecide: OnDecide): ListDefinition<Approval> {
  const { chz, dateTime } = useFormat();
  return {
    path: "/api/admin/approvals",
    row: approvalSchema,
    title: "Aprovações",
    noun: ["pedido", "pedidos"],
    search: "número, compra ou carteira",
    states: optionsOf(APPROVAL_WORDS),
    waiting: ({ open_approvals, refused_payouts }) => ({ open: open_approvals, refused: refused_payouts }),
    allStates: "Todos",
    sorts: BY_AGE_OR_AMOUNT.map((one) => ({ ...one, label: one.label.replace(/as$/, "os") })),
    refreshMs: 15_000,
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <Link to={viewHref({ view: "purchases" }, { row: String(row.purchase_id) })} className="row-link" data-row="">
        Pagar a compra nº&nbsp;{row.purchase_id}
        <span className="row-note figures">Pedido nº {row.id}</span>
      </Link>
    ),
    columns: [
      {
        header: "Situação",
        cell: (row) => (
          <>
            <StateBadge {...wordOf(APPROVAL_WORDS, row.state)} />
            {row.decision_reason && <span className="row-note">“{row.decision_reason}”</span>}
          </>
        ),
      },
      {
        header: "Por decisão de",
        cell: (row) => <Decider name={row.asked_by} />,
      },
      { header: "Para", cell: (row) => <ShortWallet address={row.wallet} /> },
      { header: "CHZ", isFigure: true, cell: (row) => chz(row.amount) },
      {
        header: "Quem decidiu",
        cell: (row) => row.decided_by && <Decider name={row.decided_by} />,
      },
      { header: "Pedido em", cell: (row) => <time dateTime={row.created_at}>{dateTime(row.created_at)}</time> },
    ],
    actions: (row) =>
      row.state === "open" && (
        <ApproveOrRefuse
          permission="payments"
          parties={[row.asked_by, row.wallet]}
          what={`pedido nº ${row.id}`}
          onDecide={(verb) => onDecide(verb, row)}
        />
      ),
    empty: {
      title: "Nenhum pedido ainda",
      hint: "Quando as decisões de uma pessoa passam do valor configurado num dia, os pagamentos aparecem aqui para outra pessoa aprovar.",
    },
  };
}

type ApprovalDecision = "approve" | "refuse";
type ApprovalDialogProps = { kind: ApprovalDecision; approval: Approval; onClose: () => void };

type Words = { title: string; text: ReactNode; action: string; reasonHint: string; done: string };

const WORDS: Record<ApprovalDecision, (id: number) => Words> = {
  approve: (id) => ({
    title: `Aprovar o pedido nº ${id}?`,
    text: "Confira a compra, o comprador e o valor. O pagamento segue sozinho assim que você aprovar.",
    action: "Aprovar pagamento",
    reasonHint: "O que você conferiu. Fica no registro.",
    done: "Pagamento aprovado: já está a caminho.",
  }),
  refuse: (id) => ({
    title: `Recusar o pedido nº ${id}?`,
    text: "Nada é pago, e a compra fica parada até alguém decidir de novo. Para pedir de novo, abra a compra.",
    action: "Recusar pagamento",
    reasonHint: "Por que não. Fica no registro.",
    done: "Pagamento recusado.",
  }),
};

/** Approves or refuses a payout that another person's decision leads to. */
function ApprovalDialog({ kind, approval, onClose }: ApprovalDialogProps) {
  const { chz } = useFormat();
  return (
    <DecisionDialog
      {...WORDS[kind](approval.id)}
      consequences={[
        ["O quê", `Pagar a compra nº ${approval.purchase_id}`],
        [kind === "refuse" ? "Não vai ser pago" : "Vai ser pago", chz(approval.amount)],
        ["Para", <WholeWallet key="buyer" address={approval.wallet} />],
        ["Por decisão de", <Decider key="asked" name={approval.asked_by} look="whole" />],
      ]}
      isDangerous={kind === "refuse"}
      decide={(reason) =>
        kind === "approve" ? approvePayment(approval.id, reason) : refusePayment(approval.id, reason)
      }
      onClose={onClose}
    />
  );
}
