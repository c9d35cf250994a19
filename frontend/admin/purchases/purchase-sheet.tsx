import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { adminPurchaseResponseSchema } from "../../../core/rules/api/admin-purchases.ts";
import { isOver } from "../../../core/rules/purchase/states.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";
import { paths } from "../../app/paths.ts";
import { useText } from "../../i18n/language.tsx";
import { situationWord } from "../../i18n/situation-word.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { holdPurchase, releasePurchase } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { DecisionPreview } from "../decisions/decision-preview.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { purchasePreviewQuery } from "../decisions/preview-queries.ts";
import { Details, Sheet } from "../details.tsx";
import { Facts, WholeWallet } from "../facts.tsx";
import { viewHref } from "../list/list-address.ts";
import { TechnicalDetail } from "../payments/why.tsx";
import type { PurchaseDetails } from "../shapes.ts";
import { limitWords, OPERATION_REASONS, PURCHASE_WORDS, purchaseWait, wordOf } from "../words.ts";
import { PurchaseLife } from "./purchase-life.tsx";

const purchaseQuery = (id: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "purchase", id],
    queryFn: async ({ signal }) =>
      (await ask(adminPurchaseResponseSchema, `/api/admin/purchases/${id}`, { signal })).purchase,
    staleTime: 0,
    refetchInterval: 10_000,
  });

/** One purchase: its state, why it waits, its history, and the hold switch. */
export function PurchaseSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const purchase = useQuery(purchaseQuery(id));
  return (
    <Details title={`Compra nº ${id}`} query={purchase} onClose={onClose}>
      {(data) => <Purchase purchase={data} onClose={onClose} />}
    </Details>
  );
}

type Decision = "hold" | "release";

function Purchase({ purchase, onClose }: { purchase: PurchaseDetails; onClose: () => void }) {
  const [deciding, setDeciding] = useState<Decision>();
  const closeDialog = () => setDeciding(undefined);
  return (
    <Sheet
      title={`Compra nº ${purchase.id}`}
      note={purchase.store}
      onClose={onClose}
      actions={
        <>
          {purchase.steps.some(({ subject }) => subject === "PurchaseMinted") && (
            <Link className="button button-small button-quiet" to={paths.ticket(purchase.id)}>
              Ver ingresso
            </Link>
          )}
          <HoldSwitch purchase={purchase} onClick={setDeciding} />
        </>
      }
    >
      <div className="grid gap-5">
        <StateSummary purchase={purchase} />
        <PurchaseFacts purchase={purchase} />
        <PurchaseLife purchase={purchase} />
      </div>
      {deciding === "hold" && <HoldDialog purchase={purchase} onClose={closeDialog} />}
      {deciding === "release" && <ReleaseDialog purchase={purchase} onClose={closeDialog} />}
    </Sheet>
  );
}

const isRefused = ({ waits_for }: PurchaseDetails) => waits_for === "second_decision";

/**
 * A purchase that is held can be released, and a refused payout asked for again. What is neither held nor over can be
 * held.
 */
function HoldSwitch({ purchase, onClick }: { purchase: PurchaseDetails; onClick: (decision: Decision) => void }) {
  const isHeld = purchase.held_at !== null;
  return (
    <>
      {(isHeld || isRefused(purchase)) && (
        <PermittedButton permission="payments" className="button button-small" onClick={() => onClick("release")}>
          {isHeld ? "Liberar compra" : "Pedir de novo"}
        </PermittedButton>
      )}
      {!isHeld && !isOver(purchase.state) && (
        <PermittedButton
          permission="payments"
          className="button button-small button-danger"
          onClick={() => onClick("hold")}
        >
          Reter compra
        </PermittedButton>
      )}
    </>
  );
}

function PurchaseFacts({ purchase }: { purchase: PurchaseDetails }) {
  const { brl, chz, percent } = useFormat();
  return (
    <Facts
      rows={[
        ["Valor", brl(purchase.amount)],
        [
          "Percentual",
          purchase.bonus_percent === "0"
            ? percent(purchase.cashback_percent)
            : `${percent(purchase.total_percent)}: ${percent(purchase.cashback_percent)} + ${percent(purchase.bonus_percent)} de bônus`,
        ],
        [
          "Cashback",
          `${brl(purchase.cashback_brl)} · ${chz(purchase.cashback)}${purchase.is_rate_frozen ? "" : " (estimativa)"}`,
        ],
        ["Pago", Number(purchase.paid) > 0 ? chz(purchase.paid) : undefined],
        ["Guardado para quitar dívida", Number(purchase.kept) > 0 ? chz(purchase.kept) : undefined],
        ["Fan token", purchase.token_slug?.toUpperCase()],
        [
          "Carteira",
          <span key="wallet" className="whole-hash">
            {purchase.wallet}
          </span>,
        ],
        ["Pedido", purchase.order_ref],
        [
          "Venda",
          purchase.sale_id === null ? (
            "Simulada"
          ) : (
            <Link key="sale" className="link" to={viewHref({ view: "sales" }, { row: String(purchase.sale_id) })}>
              Nº {purchase.sale_id}
            </Link>
          ),
        ],
      ]}
    />
  );
}

type DialogProps = { purchase: PurchaseDetails; onClose: () => void };

function HoldDialog({ purchase, onClose }: DialogProps) {
  const { chz } = useFormat();
  return (
    <DecisionDialog
      title={`Reter a compra nº ${purchase.id}?`}
      text="Nada dela é emitido, confirmado ou pago até alguém liberar. O que já foi enviado para a rede não volta."
      consequences={[
        ["Cashback retido", chz(purchase.cashback)],
        ["De", <WholeWallet key="wallet" address={purchase.wallet} />],
      ]}
      action="Reter compra"
      isDangerous
      reasonHint="Fica no registro e aparece para quem abrir esta compra."
      done="Compra retida."
      decide={(reason) => holdPurchase(purchase.id, reason)}
      onClose={onClose}
    />
  );
}

function ReleaseDialog({ purchase, onClose }: DialogProps) {
  const { chz } = useFormat();
  const words = isRefused(purchase)
    ? {
        title: `Pedir de novo o pagamento da compra nº ${purchase.id}?`,
        text: "Passa a ser decisão sua: outra pessoa aprova ou recusa de novo, se o valor pedir duas.",
        action: "Pedir de novo",
        done: "Pagamento pedido de novo.",
      }
    : {
        title: `Liberar a compra nº ${purchase.id}?`,
        text: "Ela segue de onde parou: ingresso, confirmação e pagamento.",
        action: "Liberar compra",
        done: "Compra liberada.",
      };
  return (
    <DecisionDialog
      {...words}
      mayPay
      consequences={[
        ["Vai ser pago", chz(purchase.cashback)],
        ["Para", <WholeWallet key="wallet" address={purchase.wallet} />],
        ["Estava retida por", purchase.held_reason],
      ]}
      reasonHint="Fica no registro."
      decide={(reason) => releasePurchase(purchase.id, reason)}
      preview={<DecisionPreview preview={useQuery(purchasePreviewQuery(purchase.id))} />}
      onClose={onClose}
    />
  );
}

function StateSummary({ purchase }: { purchase: PurchaseDetails }) {
  const { chz, date, dateTime } = useFormat();
  const t = useText();
  const allowed = limitWords(purchase.wait_reason, purchase.wait_limit, chz);
  const wait = purchaseWait(purchase);
  const help = purchase.wait_reason ? OPERATION_REASONS[purchase.wait_reason]?.help : undefined;
  return (
    <div className="state-summary">
      <StateBadge {...wordOf(PURCHASE_WORDS, purchase.state)} />
      {wait && (
        <p>
          <strong>{wait}</strong> {allowed} {help}
        </p>
      )}
      <p>
        Quem comprou lê: “
        {t(`situation.${situationWord(purchase)}`, { date: purchase.payable_at ? date(purchase.payable_at) : "" })}”
      </p>
      {purchase.held_reason && <p>Motivo: {purchase.held_reason}</p>}
      {purchase.expected_at && <p className="muted">Próximo passo previsto para {dateTime(purchase.expected_at)}.</p>}
      {purchase.wait_text && !allowed && <TechnicalDetail text={purchase.wait_text} />}
    </div>
  );
}
