import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { approvalSchema } from "../../../core/rules/api/admin-approvals.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { approvePayment, refusePayment } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { aloneLimitQuery } from "../decisions/alone-notice.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { ShortWallet, WholeWallet } from "../facts.tsx";
import style from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import { type ListDefinition, sortsByAgeOrAmount } from "../list/definition.ts";
import { viewHref } from "../list/list-address.ts";
import { RichText } from "../rich-text.tsx";
import type { Approval } from "../shapes.ts";
import { t } from "../texts.ts";
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
      {limit === null ? <RichText id="approvals.noLimit" /> : t("approvals.limit", { limit: chz(limit) })}
    </p>
  );
}

type OnDecide = (kind: ApprovalDecision, approval: Approval) => void;

function useApprovalsList(onDecide: OnDecide): ListDefinition<Approval> {
  const { chz, dateTime } = useFormat();
  return {
    path: "/api/admin/approvals",
    row: approvalSchema,
    title: t("view.approvals"),
    noun: "approval",
    search: t("approvals.search"),
    states: optionsOf(APPROVAL_WORDS),
    waiting: ({ open_approvals, refused_payouts }) => ({ open: open_approvals, refused: refused_payouts }),
    allStates: t("list.allMasculine"),
    sorts: sortsByAgeOrAmount("masculine"),
    refreshMs: 15_000,
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <Link to={viewHref({ view: "purchases" }, { row: String(row.purchase_id) })} className={style.link} data-row="">
        {t("approvals.row", { id: row.purchase_id })}
        <span className={`${style.note} figures`}>{t("approvals.number", { id: row.id })}</span>
      </Link>
    ),
    columns: [
      {
        header: t("status"),
        cell: (row) => (
          <>
            <StateBadge {...wordOf(APPROVAL_WORDS, row.state)} />
            {row.decision_reason && <span className={style.note}>“{row.decision_reason}”</span>}
          </>
        ),
      },
      {
        header: t("byDecisionOf"),
        cell: (row) => <Decider name={row.asked_by} />,
      },
      { header: t("to"), cell: (row) => <ShortWallet address={row.wallet} /> },
      { header: "CHZ", isFigure: true, cell: (row) => chz(row.amount) },
      {
        header: t("approvals.decidedBy"),
        cell: (row) => row.decided_by && <Decider name={row.decided_by} />,
      },
      {
        header: t("approvals.askedAt"),
        cell: (row) => <time dateTime={row.created_at}>{dateTime(row.created_at)}</time>,
      },
    ],
    actions: (row) =>
      row.state === "open" && (
        <ApproveOrRefuse
          permission="payments"
          parties={[row.asked_by, row.wallet]}
          what={t("approvals.numberLow", { id: row.id })}
          onDecide={(verb) => onDecide(verb, row)}
        />
      ),
    empty: {
      title: t("approvals.none"),
      hint: t("approvals.none.hint"),
    },
  };
}

type ApprovalDecision = "approve" | "refuse";
type ApprovalDialogProps = { kind: ApprovalDecision; approval: Approval; onClose: () => void };

/** Approves or refuses a payout that another person's decision leads to. */
function ApprovalDialog({ kind, approval, onClose }: ApprovalDialogProps) {
  const { chz } = useFormat();
  return (
    <DecisionDialog
      title={t(`approvals.title.${kind}`, { id: approval.id })}
      text={t(`approvals.text.${kind}`)}
      action={t(`approvals.action.${kind}`)}
      reasonHint={t(`reasonHint.${kind}`)}
      done={t(`approvals.done.${kind}`)}
      consequences={[
        [t("what"), t("approvals.pays", { purchaseId: approval.purchase_id })],
        [kind === "refuse" ? t("willNotBePaid") : t("willBePaid"), chz(approval.amount)],
        [t("to"), <WholeWallet key="buyer" address={approval.wallet} />],
        [t("byDecisionOf"), <Decider key="asked" name={approval.asked_by} look="whole" />],
      ]}
      isDangerous={kind === "refuse"}
      decide={(reason) =>
        kind === "approve" ? approvePayment(approval.id, reason) : refusePayment(approval.id, reason)
      }
      onClose={onClose}
    />
  );
}
