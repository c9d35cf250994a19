import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFormat } from "../../i18n/use-format.ts";
import {
  approvePayment,
  getSale,
  payUser,
  refusePayment,
  releasePurchase,
  releaseSale,
  retryOperation,
} from "../admin-calls.ts";
import { type Consequence, DecisionDialog } from "../decisions/decision-dialog.tsx";
import { WholeWallet } from "../facts.tsx";
import { useSaleMoney } from "../sales/use-sale-money.ts";
import type { Approval, SaleDetails } from "../shapes.ts";
import { askedFor, subjectOf } from "./asked-for.ts";

export type ApprovalDecision = "approve" | "refuse" | "conclude";
type ApprovalDialogProps = { kind: ApprovalDecision; approval: Approval; onClose: () => void };

type Words = { title: string; text: ReactNode; action: string; reasonHint: string; done: string };

const WORDS: Record<ApprovalDecision, (id: number) => Words> = {
  approve: (id) => ({
    title: `Aprovar o pedido nº ${id}?`,
    text: "Confira o comprador e o valor. Quem pediu pode então fazer este pagamento, uma vez só, até amanhã a esta hora.",
    action: "Aprovar pagamento",
    reasonHint: "O que você conferiu. Fica no registro.",
    done: "Pagamento aprovado: quem pediu já pode concluir.",
  }),
  refuse: (id) => ({
    title: `Recusar o pedido nº ${id}?`,
    text: "Nada é pago. Quem pediu vê o motivo aqui, e pode pedir de novo.",
    action: "Recusar pagamento",
    reasonHint: "Escreva para quem pediu. Fica no registro.",
    done: "Pagamento recusado.",
  }),
  conclude: (id) => ({
    title: `Concluir o pedido nº ${id}?`,
    text: "Outra pessoa aprovou. O pagamento é feito agora, uma vez só; se falhar, a aprovação continua valendo.",
    action: "Pagar agora",
    reasonHint: "Fica no registro.",
    done: "Pagamento a caminho.",
  }),
};

/** Approves, refuses, or makes an approved payout. */
export function ApprovalDialog({ kind, approval, onClose }: ApprovalDialogProps) {
  const { chz } = useFormat();
  const money = useSaleMoney();
  const saleId = subjectOf(approval);
  const isOfSale = kind === "conclude" && approval.action === "sale.release";
  const sale = useQuery({
    queryKey: ["own", "sale", saleId],
    queryFn: ({ signal }) => getSale(saleId, signal),
    enabled: isOfSale,
    staleTime: 0,
  });
  const consequences: Consequence[] = [
    ["O quê", askedFor(approval)],
    [kind === "refuse" ? "Não vai ser pago" : "Vai ser pago", chz(approval.amount)],
    ["Para", <WholeWallet key="buyer" address={approval.wallet} />],
    ...(isOfSale ? ([["Valor da venda", sale.data ? money(sale.data) : "Carregando..."]] as const) : []),
    ...(kind === "conclude"
      ? ([["Quem aprovou", <WholeWallet key="decided" address={approval.decided_by} />]] as const)
      : ([
          ["Quem pediu", <WholeWallet key="asked" address={approval.asked_by} />],
          ["Motivo do pedido", approval.reason ?? "–"],
        ] as const)),
  ];
  return (
    <DecisionDialog
      {...WORDS[kind](approval.id)}
      consequences={consequences}
      isDangerous={kind === "refuse"}
      validate={() => (isOfSale && !sale.data ? "A venda ainda não carregou. Tente de novo em instantes." : undefined)}
      decide={(reason) => decide(kind, approval, reason, sale.data)}
      onClose={onClose}
    />
  );
}

function decide(
  kind: ApprovalDecision,
  approval: Approval,
  reason: string,
  sale: SaleDetails | undefined,
): Promise<unknown> {
  if (kind === "approve") return approvePayment(approval.id, reason);
  if (kind === "refuse") return refusePayment(approval.id, reason);
  const number = Number(subjectOf(approval));
  switch (approval.action) {
    case "operation.retry":
      return retryOperation(number, reason);
    case "purchase.release":
      return releasePurchase(number, reason);
    case "sale.release":
      return releaseSale(sale ?? { id: number, revision: null, holds: [] }, reason);
    case "cashback.distribute":
      return payUser(subjectOf(approval), approval.amount, reason);
    default:
      throw new Error(`${approval.action} is concluded where it was begun`);
  }
}
