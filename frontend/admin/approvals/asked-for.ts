import { viewHref } from "../list/list-address.ts";
import type { Approval } from "../shapes.ts";

/** The number or wallet that a request concerns. */
export const subjectOf = ({ subject }: Pick<Approval, "subject">): string => subject.split(/[: ]/).at(-1) ?? subject;

/** The request in words. */
export function askedFor(approval: Pick<Approval, "action" | "subject" | "purchase_id">): string {
  const number = subjectOf(approval);
  switch (approval.action) {
    case "operation.retry":
      return `Tentar de novo o pagamento da compra nº ${approval.purchase_id ?? number}`;
    case "purchase.release":
      return `Liberar a compra nº ${number}`;
    case "cashback.distribute":
      return "Pagar tudo o que o comprador tem a receber";
    case "sale.release":
      return `Liberar a venda nº ${number}`;
    case "sale.assign":
      return `Dar a venda nº ${number} a um comprador`;
    case "claim.match":
      return `Ligar a reclamação nº ${number} a uma venda`;
  }
}

/** The link to the subject of the request. */
export function approvalHref(approval: Approval): string {
  const number = subjectOf(approval);
  if (approval.action.startsWith("sale.")) return viewHref({ view: "sales" }, { row: number });
  if (approval.action === "claim.match") return viewHref({ view: "claims" }, { query: number });
  if (approval.purchase_id !== null) return viewHref({ view: "purchases" }, { row: String(approval.purchase_id) });
  return viewHref({ view: "purchases" }, { query: approval.wallet ?? "" });
}
