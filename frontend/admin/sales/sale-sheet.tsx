import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { ownValue } from "../../../core/rules/records.ts";
import type { SalePurchaseStage } from "../../../core/rules/sale/plan.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Field } from "../../ui/field.tsx";
import { assignSale, declineSale, releaseSale } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { DecisionPreview } from "../decisions/decision-preview.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { assignPreviewQuery, salePreviewQuery } from "../decisions/preview-queries.ts";
import { Details, Sheet } from "../details.tsx";
import { Facts, WholeWallet } from "../facts.tsx";
import { viewHref } from "../list/list-address.ts";
import type { SaleDetails } from "../shapes.ts";
import { networkName, newWord, SALE_STATUS_WORDS, SALE_WORDS, wordOf } from "../words.ts";
import { saleQuery } from "./queries.ts";
import { useSaleMoney, whyOf } from "./sale-words.ts";

type Decision = "release" | "decline" | "assign";

/** One sale: the network's report, each revision, its purchases, and the possible decisions. */
export function SaleSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const sale = useQuery(saleQuery(id));
  return (
    <Details title={`Venda nº ${id}`} query={sale} onClose={onClose}>
      {(data) => <SaleInSheet sale={data} onClose={onClose} />}
    </Details>
  );
}

function SaleInSheet({ sale, onClose }: { sale: SaleDetails; onClose: () => void }) {
  const { brl, dateTime } = useFormat();
  const money = useSaleMoney();
  const [deciding, setDeciding] = useState<Decision>();
  return (
    <Sheet
      title={`Venda nº ${sale.id}`}
      note={`${networkName(sale.network)} (${sale.account}) · ${sale.sale_key}`}
      onClose={onClose}
      actions={<Actions sale={sale} onDecide={setDeciding} />}
    >
      <div className="grid gap-5">
        <div className="state-summary">
          <StateBadge {...wordOf(SALE_WORDS, sale.state)} />
          {sale.reason && (
            <p>
              <strong>{whyOf(sale)}</strong>
            </p>
          )}
          {sale.unknown_groups && (
            <p>
              Grupos de comissão sem categoria na loja: {sale.unknown_groups}. Valeram como a categoria padrão; dê a uma
              categoria o código do grupo, em Lojas.
            </p>
          )}
        </div>
        <Facts
          rows={[
            ["Valor", money(sale)],
            ["Comissão", sale.commission === null ? null : brl(sale.commission)],
            ["Cashback", brl(sale.cashback)],
            ["Resultado", sale.commission === null ? null : brl(difference(sale.commission, sale.cashback))],
            ["Pedido", sale.order_ref],
            ["Rede diz", `${SALE_STATUS_WORDS[sale.status] ?? sale.status}${sale.payable ? ", e paga" : ""}`],
            ["Carteira", sale.wallet && <span className="whole-hash">{sale.wallet}</span>],
            ["Visita", sale.click_id],
            ["Vendida em", sale.occurred_at && dateTime(sale.occurred_at)],
            ["Liberada por", sale.released_by],
          ]}
        />
        <Purchases sale={sale} />
        <Revisions sale={sale} />
      </div>
      <Decisions sale={sale} deciding={deciding} onClose={() => setDeciding(undefined)} />
    </Sheet>
  );
}

function Actions({ sale, onDecide }: { sale: SaleDetails; onDecide: (decision: Decision) => void }) {
  return (
    <>
      {sale.state !== "declined" && (
        <PermittedButton
          permission="sales"
          className="button button-small button-danger"
          onClick={() => onDecide("decline")}
        >
          Recusar venda
        </PermittedButton>
      )}
      {sale.click_id === null && (
        <PermittedButton permission="sales" className="button button-small" onClick={() => onDecide("assign")}>
          Ligar a uma visita
        </PermittedButton>
      )}
      {sale.state === "held" && (
        <PermittedButton permission="sales" className="button button-small" onClick={() => onDecide("release")}>
          Liberar venda
        </PermittedButton>
      )}
    </>
  );
}

type DecisionsProps = { sale: SaleDetails; deciding: Decision | undefined; onClose: () => void };

function Decisions({ sale, deciding, onClose }: DecisionsProps) {
  const [click, setClick] = useState("");
  switch (deciding) {
    case "release":
      return <ReleaseDialog sale={sale} onClose={onClose} />;
    case "decline":
      return <DeclineDialog sale={sale} onClose={onClose} />;
    case "assign":
      return <AssignDialog sale={sale} click={click} onClick={setClick} onClose={onClose} />;
    default:
      return null;
  }
}

type DialogProps = Omit<DecisionsProps, "deciding">;

function ReleaseDialog({ sale, onClose }: DialogProps) {
  const { brl } = useFormat();
  const money = useSaleMoney();
  return (
    <DecisionDialog
      title={`Liberar a venda nº ${sale.id}?`}
      text="A venda segue como foi lida por último, e não é mais retida pelo mesmo motivo."
      mayPay
      consequences={[
        ["Valor", money(sale)],
        ["Comissão", sale.commission === null ? "–" : brl(sale.commission)],
        ["Cashback", Number(sale.cashback) > 0 ? brl(sale.cashback) : "calculado agora, pelo combinado na visita"],
        ["Para", <WholeWallet key="wallet" address={sale.wallet} />],
        ["Retida por", whyOf(sale) ?? "–"],
      ]}
      action="Liberar venda"
      reasonHint="Fica no registro, com o seu nome."
      done="Venda liberada."
      decide={(reason) => releaseSale(sale, reason)}
      preview={<DecisionPreview preview={useQuery(salePreviewQuery(sale.id, "release"))} saleId={sale.id} />}
      onClose={onClose}
    />
  );
}

function DeclineDialog({ sale, onClose }: DialogProps) {
  const { brl } = useFormat();
  const money = useSaleMoney();
  return (
    <DecisionDialog
      title={`Recusar a venda nº ${sale.id}?`}
      text="É definitivo, diga a rede o que disser depois. O que já foi pago fica como saldo a devolver do comprador."
      consequences={[
        ["Valor", money(sale)],
        ["Cashback que deixa de ser pago", brl(sale.cashback)],
        ["De", <WholeWallet key="wallet" address={sale.wallet} />],
      ]}
      action="Recusar venda"
      isDangerous
      reasonHint="O comprador vê este motivo, e ele fica no registro."
      done="Venda recusada."
      decide={(reason) => declineSale(sale, reason)}
      preview={<DecisionPreview preview={useQuery(salePreviewQuery(sale.id, "decline"))} saleId={sale.id} />}
      onClose={onClose}
    />
  );
}

type AssignDialogProps = DialogProps & { click: string; onClick: (click: string) => void };

function AssignDialog({ sale, click, onClick, onClose }: AssignDialogProps) {
  const money = useSaleMoney();
  const isWhole = VISIT.test(click.trim());
  const preview = useQuery({ ...assignPreviewQuery(sale.id, click.trim()), enabled: isWhole });
  return (
    <DecisionDialog
      title={`De quem é a venda nº ${sale.id}?`}
      text="A venda passa a ser de quem fez esta visita, com o cashback combinado nela."
      mayPay
      consequences={[["Valor", money(sale)]]}
      action="Ligar à visita"
      reasonHint="Fica no registro."
      done="A venda tem um comprador."
      validate={() => (click.trim() ? undefined : "Informe o código da visita.")}
      decide={(reason) => assignSale(sale, click.trim(), reason)}
      preview={<DecisionPreview preview={preview} saleId={sale.id} />}
      onClose={onClose}
    >
      <Field label="Código da visita" hint="26 letras e números, como está na reclamação ou na visita.">
        {(control) => (
          <input {...control} autoCapitalize="none" value={click} onChange={({ target }) => onClick(target.value)} />
        )}
      </Field>
    </DecisionDialog>
  );
}

/** The whole code of a visit. */
const VISIT = /^(?:[a-z2-7]{26}|[0-9a-f]{32})$/;

const STAGES: Record<SalePurchaseStage, string> = {
  planned: "planejada",
  pending: "pendente",
  confirmed: "confirmada",
  paid: "paga",
  cancelled: "cancelada",
};

function Purchases({ sale }: { sale: SaleDetails }) {
  const { brl, chz } = useFormat();
  if (sale.purchases.length === 0) return null;
  return (
    <section aria-labelledby="sale-purchases">
      <h3 id="sale-purchases" className="card-title">
        Compras desta venda
      </h3>
      <ul className="plain-rows">
        {sale.purchases.map((one) => (
          <li key={one.id}>
            <Link className="link figures" to={viewHref({ view: "purchases" }, { row: String(one.id) })}>
              Nº {one.id}
            </Link>{" "}
            {brl(one.amount)}, cashback {brl(one.cashback)}, {ownValue(STAGES, one.stage) ?? newWord(one.stage)}
            {one.withdrawn && ", retirada"}
            {Number(one.owed_back) > 0 && ` · a devolver: ${chz(one.owed_back)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

const SOURCES: Record<string, string> = { poll: "lida", push: "avisada", direct: "informada" };

function Revisions({ sale }: { sale: SaleDetails }) {
  const { dateTime } = useFormat();
  const money = useSaleMoney();
  return (
    <section aria-labelledby="revisions">
      <h3 id="revisions" className="card-title">
        O que a rede disse
      </h3>
      <ol className="life">
        {sale.revisions.map((one) => (
          <li key={one.id} data-source="database">
            <span>
              {SALE_STATUS_WORDS[one.status] ?? one.status}
              {one.payable && ", e paga"} ·{" "}
              <strong className="figures">
                {money({ ...one, amount_brl: one.currency === "BRL" ? one.amount : null })}
              </strong>
              {!one.applied && " (não valeu: já havia uma leitura mais nova)"}
            </span>
            <time dateTime={one.read_at}>
              {SOURCES[one.source] ?? one.source} em {dateTime(one.read_at)}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Exact: decimal texts of at most six places. */
function difference(one: string, other: string): string {
  return String((Math.round(Number(one) * 100) - Math.round(Number(other) * 100)) / 100);
}
