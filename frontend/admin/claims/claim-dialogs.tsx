import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { saleSchema } from "../../../core/rules/api/sales.ts";
import { OWN_KEY } from "../../api/queries.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { matchClaim, pictureOfClaim, refuseClaim } from "../admin-calls.ts";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { DecisionPreview } from "../decisions/decision-preview.tsx";
import { matchPreviewQuery } from "../decisions/preview-queries.ts";
import { WholeWallet } from "../facts.tsx";
import { listQuery } from "../list/queries.ts";
import style from "../panel.module.css";
import { useSaleMoney } from "../sales/sale-words.ts";
import type { Claim } from "../shapes.ts";
import { t } from "../texts.ts";
import { SALE_WORDS, wordOf } from "../words.ts";

type ClaimDialogProps = { claim: Claim; onClose: () => void };

/** Chooses the sale that a claim is about: the order's own are offered first. */
export function MatchDialog({ claim, onClose }: ClaimDialogProps) {
  const { brl } = useFormat();
  const [saleId, setSaleId] = useState<number>();
  const [number, setNumber] = useState("");
  const chosen = saleId ?? (/^[1-9]\d{0,14}$/.test(number.trim()) ? Number(number.trim()) : undefined);
  const preview = useQuery({ ...matchPreviewQuery(chosen ?? 0, claim.id), enabled: chosen !== undefined });
  return (
    <DecisionDialog
      title={t("claims.match.title", { orderRef: claim.order_ref })}
      text={t("claims.match.text")}
      mayPay
      consequences={[
        [t("claims.saidLabel"), t("claims.said", { amount: brl(claim.amount), store: claim.store })],
        [t("wallet"), <WholeWallet key="wallet" address={claim.wallet} />],
      ]}
      action={t("claims.match.action")}
      reasonHint={t("reasonHint.log")}
      done={t("claims.match.done")}
      validate={() => (chosen === undefined ? t("claims.match.none") : undefined)}
      decide={(reason) => matchClaim(claim.id, chosen ?? 0, reason)}
      preview={<DecisionPreview preview={preview} saleId={chosen} />}
      onClose={onClose}
    >
      <Candidates
        orderRef={claim.order_ref}
        selected={saleId}
        onSelect={(id) => {
          setSaleId(id);
          setNumber("");
        }}
      />
      <Field label={t("claims.match.number")}>
        {(control) => (
          <input
            inputMode="numeric"
            {...control}
            value={number}
            onChange={({ target }) => {
              setNumber(target.value);
              setSaleId(undefined);
            }}
          />
        )}
      </Field>
    </DecisionDialog>
  );
}

type CandidatesProps = { orderRef: string; selected: number | undefined; onSelect: (id: number) => void };

function Candidates({ orderRef, selected, onSelect }: CandidatesProps) {
  const money = useSaleMoney();
  const sales = useQuery(listQuery({ path: "/api/admin/sales", row: saleSchema }, { query: orderRef }));
  if (sales.isPending) return <Skeletons count={1} className="h-14" />;
  const found = sales.data?.rows ?? [];
  if (found.length === 0) {
    return <p className="hint">{t("claims.match.noSale")}</p>;
  }
  return (
    <fieldset className="grid gap-3">
      <legend className={style.legend}>{t("claims.match.sales")}</legend>
      {found.map((sale) => (
        <label key={sale.id} className="option">
          <input type="radio" name="sale" checked={selected === sale.id} onChange={() => onSelect(sale.id)} />
          <span>
            <strong className="block figures">
              {t("numbered", { id: sale.id })} · {money(sale)}
            </strong>
            {wordOf(SALE_WORDS, sale.state).label}
            {sale.wallet && ` · ${t("claims.takenBy", { wallet: sale.wallet })}`}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

const claimPictureQuery = (id: number) =>
  queryOptions({ queryKey: [...OWN_KEY, "claim picture", id], queryFn: () => pictureOfClaim(id) });

/** The picture that the buyer attached. */
export function PictureDialog({ claim, onClose }: ClaimDialogProps) {
  const found = useQuery(claimPictureQuery(claim.id));
  return (
    <Dialog title={t("claims.picture.title", { orderRef: claim.order_ref })} onClose={onClose} leave={t("close")}>
      {found.isError ? (
        <RetryPanel title={t("claims.picture.failed")} query={found} />
      ) : found.data ? (
        <img src={found.data.picture} alt={t("claims.picture.alt", { wallet: claim.wallet })} />
      ) : (
        <Skeletons count={1} className="h-64" />
      )}
    </Dialog>
  );
}

export function RefuseDialog({ claim, onClose }: ClaimDialogProps) {
  const { brl } = useFormat();
  return (
    <DecisionDialog
      title={t("claims.refuse.title", { orderRef: claim.order_ref })}
      text={t("claims.refuse.text")}
      consequences={[
        [t("store"), claim.store],
        [t("claims.amount"), brl(claim.amount)],
        [t("wallet"), <WholeWallet key="wallet" address={claim.wallet} />],
      ]}
      action={t("claims.refuse.action")}
      isDangerous
      reasonHint={t("claims.refuse.hint")}
      done={t("claims.refuse.done")}
      decide={(reason) => refuseClaim(claim.id, reason)}
      onClose={onClose}
    />
  );
}
