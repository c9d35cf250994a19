import { useState } from "react";
import { Link } from "react-router";
import { adminClaimSchema } from "../../../core/rules/api/sales.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { StateBadge } from "../badge.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { ShortWallet } from "../facts.tsx";
import { AdminList } from "../list/admin-list.tsx";
import { BY_AGE_OR_AMOUNT, type ListDefinition } from "../list/definition.ts";
import { viewHref } from "../list/list-address.ts";
import type { Claim } from "../shapes.ts";
import { CLAIM_WORDS, optionsOf, wordOf } from "../words.ts";
import { MatchDialog, PictureDialog, RefuseDialog } from "./claim-dialogs.tsx";

type Decision = { kind: "match" | "refuse" | "picture"; claim: Claim };

/** Claims for missing cashback: matched to a sale, or rejected with a reason that the buyer sees. */
export function ClaimsView() {
  const [deciding, setDeciding] = useState<Decision>();
  const close = () => setDeciding(undefined);
  return (
    <>
      <AdminList list={useClaimsList((kind, claim) => setDeciding({ kind, claim }))} />
      {deciding?.kind === "match" && <MatchDialog claim={deciding.claim} onClose={close} />}
      {deciding?.kind === "picture" && <PictureDialog claim={deciding.claim} onClose={close} />}
      {deciding?.kind === "refuse" && <RefuseDialog claim={deciding.claim} onClose={close} />}
    </>
  );
}

function useClaimsList(onDecide: (kind: Decision["kind"], claim: Claim) => void): ListDefinition<Claim> {
  const { brl, date, dateTime } = useFormat();
  return {
    path: "/api/admin/claims",
    row: adminClaimSchema,
    title: "Reclamações",
    noun: ["reclamação", "reclamações"],
    search: "número, pedido ou carteira",
    states: optionsOf(CLAIM_WORDS),
    waiting: ({ open_claims }) => ({ open: open_claims }),
    sorts: BY_AGE_OR_AMOUNT,
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <>
        <span className="figures">Pedido {row.order_ref}</span>
        <span className="row-note">
          Nº {row.id} · {row.store}
        </span>
      </>
    ),
    columns: [
      {
        header: "Situação",
        cell: (row) => (
          <>
            <StateBadge {...wordOf(CLAIM_WORDS, row.state)} />
            {row.reason && <span className="row-note">{row.reason}</span>}
            {row.sale_id !== null && (
              <Link className="link row-note" to={viewHref({ view: "sales" }, { row: String(row.sale_id) })}>
                Venda nº {row.sale_id}
              </Link>
            )}
          </>
        ),
      },
      { header: "Carteira", cell: (row) => <ShortWallet address={row.wallet} /> },
      { header: "Valor", isFigure: true, cell: (row) => brl(row.amount) },
      { header: "Comprou em", cell: (row) => date(row.date) },
      {
        header: "Reclamou em",
        cell: (row) => (
          <>
            <time dateTime={row.created_at}>{dateTime(row.created_at)}</time>
            {row.state === "open" && <span className="row-note">Responder até {date(row.answer_by)}</span>}
          </>
        ),
      },
      {
        header: "Recado",
        cell: (row) => (
          <>
            {row.note && <span className="row-note">“{row.note}”</span>}
            {row.has_picture && (
              <button type="button" className="link" onClick={() => onDecide("picture", row)}>
                Ver foto<span className="sr-only"> – pedido {row.order_ref}</span>
              </button>
            )}
            {!row.note && !row.has_picture && <span className="muted">–</span>}
          </>
        ),
      },
    ],
    actions: (row) =>
      row.state === "open" && (
        <>
          <PermittedButton permission="claims" className="button button-small" onClick={() => onDecide("match", row)}>
            Ligar a uma venda<span className="sr-only"> – pedido {row.order_ref}</span>
          </PermittedButton>
          <PermittedButton permission="claims" onClick={() => onDecide("refuse", row)}>
            Recusar<span className="sr-only"> – pedido {row.order_ref}</span>
          </PermittedButton>
        </>
      ),
    empty: { title: "Nenhuma reclamação", hint: "Quem não recebeu o cashback de uma compra reclama pelo site." },
  };
}
