import type { ReactNode } from "react";
import { useFormat } from "../../i18n/use-format.ts";
import { approvePayment, refusePayment } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { WholeWallet } from "../facts.tsx";
import type { Approval } from "../shapes.ts";
import { Decider } from "./decider.tsx";

export type ApprovalDecision = "approve" | "refuse";
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
    text: "Nada é pago. A compra fica parada até alguém decidir de novo sobre ela.",
    action: "Recusar pagamento",
    reasonHint: "Por que não. Fica no registro.",
    done: "Pagamento recusado.",
  }),
};

/** Approves or refuses a payout that another person's decision leads to. */
export function ApprovalDialog({ kind, approval, onClose }: ApprovalDialogProps) {
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
