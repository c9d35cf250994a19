import { useState } from "react";
import { Link } from "react-router";
import { adminClaimSchema } from "../../../core/rules/api/sales.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { StateBadge } from "../badge.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { ShortWallet } from "../facts.tsx";
import style from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import { type ListDefinition, sortsByAgeOrAmount } from "../list/definition.ts";
import { viewHref } from "../list/list-address.ts";
import type { Claim } from "../shapes.ts";
import { t } from "../texts.ts";
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
    title: t("view.claims"),
    noun: "claim",
    search: t("claims.search"),
    states: optionsOf(CLAIM_WORDS),
    waiting: ({ open_claims }) => ({ open: open_claims }),
    sorts: sortsByAgeOrAmount("feminine"),
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <>
        <span className="figures">{t("claims.order", { orderRef: row.order_ref })}</span>
        <span className={style.note}>
          {t("numbered", { id: row.id })} · {row.store}
        </span>
      </>
    ),
    columns: [
      {
        header: t("status"),
        cell: (row) => (
          <>
            <StateBadge {...wordOf(CLAIM_WORDS, row.state)} />
            {row.reason && <span className={style.note}>{row.reason}</span>}
            {row.sale_id !== null && (
              <Link className={`link ${style.note}`} to={viewHref({ view: "sales" }, { row: String(row.sale_id) })}>
                {t("claims.sale", { saleId: row.sale_id })}
              </Link>
            )}
          </>
        ),
      },
      { header: t("wallet"), cell: (row) => <ShortWallet address={row.wallet} /> },
      { header: t("amount"), isFigure: true, cell: (row) => brl(row.amount) },
      { header: t("claims.boughtOn"), cell: (row) => date(row.date) },
      {
        header: t("claims.claimedOn"),
        cell: (row) => (
          <>
            <time dateTime={row.created_at}>{dateTime(row.created_at)}</time>
            {row.state === "open" && (
              <span className={style.note}>{t("claims.answerBy", { answerBy: date(row.answer_by) })}</span>
            )}
          </>
        ),
      },
      {
        header: t("claims.note"),
        cell: (row) => (
          <>
            {row.note && <span className={style.note}>“{row.note}”</span>}
            {row.has_picture && (
              <button type="button" className="link" onClick={() => onDecide("picture", row)}>
                {t("claims.picture")}
                <span className="sr-only"> – {t("claims.ofOrder", { order: row.order_ref })}</span>
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
            {t("claims.match")}
            <span className="sr-only"> – {t("claims.ofOrder", { order: row.order_ref })}</span>
          </PermittedButton>
          <PermittedButton permission="claims" onClick={() => onDecide("refuse", row)}>
            {t("claims.refuse")}
            <span className="sr-only"> – {t("claims.ofOrder", { order: row.order_ref })}</span>
          </PermittedButton>
        </>
      ),
    empty: { title: t("claims.none"), hint: t("claims.none.hint") },
  };
}
