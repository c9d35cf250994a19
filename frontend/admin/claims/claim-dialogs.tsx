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
import { useSaleMoney } from "../sales/sale-words.ts";
import type { Claim } from "../shapes.ts";
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
      title={`De que venda é o pedido ${claim.order_ref}?`}
      text="A venda passa a ser deste comprador, com o cashback combinado na visita dele. Ligar não move dinheiro: paga-se quando a rede pagar."
      mayPay
      consequences={[
        ["O comprador disse", `${brl(claim.amount)}, em ${claim.store}`],
        ["Carteira", <WholeWallet key="wallet" address={claim.wallet} />],
      ]}
      action="Ligar à venda"
      reasonHint="Fica no registro."
      done="Reclamação resolvida."
      validate={() => (chosen === undefined ? "Escolha uma venda, ou informe o número dela." : undefined)}
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
      <Field label="Número da venda">
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
    return <p className="hint">Nenhuma venda tem este pedido. Procure em Vendas, e informe o número abaixo.</p>;
  }
  return (
    <fieldset className="grid gap-3">
      <legend className="field-legend">Vendas com este pedido</legend>
      {found.map((sale) => (
        <label key={sale.id} className="option">
          <input type="radio" name="sale" checked={selected === sale.id} onChange={() => onSelect(sale.id)} />
          <span>
            <strong className="block figures">
              Nº {sale.id} · {money(sale)}
            </strong>
            {wordOf(SALE_WORDS, sale.state).label}
            {sale.wallet && ` · já é de ${sale.wallet}`}
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
    <Dialog title={`Foto do pedido ${claim.order_ref}`} onClose={onClose} leave="Fechar">
      {found.isError ? (
        <RetryPanel title="Não foi possível carregar a foto." query={found} />
      ) : found.data ? (
        <img src={found.data.picture} alt={`Anexada por ${claim.wallet}`} />
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
      title={`Recusar a reclamação do pedido ${claim.order_ref}?`}
      text="O comprador lê o motivo na página “Minhas visitas às lojas”."
      consequences={[
        ["Loja", claim.store],
        ["Valor reclamado", brl(claim.amount)],
        ["Carteira", <WholeWallet key="wallet" address={claim.wallet} />],
      ]}
      action="Recusar reclamação"
      isDangerous
      reasonHint="Escreva para o comprador: o que faltou, e o que ele pode fazer."
      done="Reclamação recusada."
      decide={(reason) => refuseClaim(claim.id, reason)}
      onClose={onClose}
    />
  );
}
