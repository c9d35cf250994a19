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
import style from "../facts.module.css";
import { Facts, WholeWallet } from "../facts.tsx";
import { viewHref } from "../list/list-address.ts";
import panelStyle from "../panel.module.css";
import { TechnicalDetail } from "../payments/why.tsx";
import type { PurchaseDetails } from "../shapes.ts";
import { t } from "../texts.ts";
import { limitWords, operationHelp, PURCHASE_WORDS, purchaseWait, wordOf } from "../words.ts";
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
    <Details title={t("purchase.title", { id })} query={purchase} onClose={onClose}>
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
      title={t("purchase.title", { id: purchase.id })}
      note={purchase.store}
      onClose={onClose}
      actions={
        <>
          {purchase.steps.some(({ subject }) => subject === "PurchaseMinted") && (
            <Link className="button button-small button-quiet" to={paths.ticket(purchase.id)}>
              {t("purchase.ticket")}
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
          {isHeld ? t("purchase.release.action") : t("purchase.askAgain.action")}
        </PermittedButton>
      )}
      {!isHeld && !isOver(purchase.state) && (
        <PermittedButton
          permission="payments"
          className="button button-small button-danger"
          onClick={() => onClick("hold")}
        >
          {t("purchase.hold.action")}
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
        [t("amount"), brl(purchase.amount)],
        [
          t("percent"),
          purchase.bonus_percent === "0"
            ? percent(purchase.cashback_percent)
            : t("purchase.percents", {
                total: percent(purchase.total_percent),
                own: percent(purchase.cashback_percent),
                bonus: percent(purchase.bonus_percent),
              }),
        ],
        [
          t("cashback"),
          t(purchase.is_rate_frozen ? "purchase.cashback" : "purchase.cashbackEstimate", {
            reais: brl(purchase.cashback_brl),
            chz: chz(purchase.cashback),
          }),
        ],
        [t("paid"), Number(purchase.paid) > 0 ? chz(purchase.paid) : undefined],
        [t("purchase.kept"), Number(purchase.kept) > 0 ? chz(purchase.kept) : undefined],
        [t("fanToken"), purchase.token_slug?.toUpperCase()],
        [
          t("wallet"),
          <span key="wallet" className={style.wholeHash}>
            {purchase.wallet}
          </span>,
        ],
        [t("order"), purchase.order_ref],
        [
          t("sale"),
          purchase.sale_id === null ? (
            t("purchase.simulated")
          ) : (
            <Link key="sale" className="link" to={viewHref({ view: "sales" }, { row: String(purchase.sale_id) })}>
              {t("numbered", { id: purchase.sale_id })}
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
      title={t("purchase.hold.title", { id: purchase.id })}
      text={t("purchase.hold.text")}
      consequences={[
        [t("purchase.hold.cashback"), chz(purchase.cashback)],
        [t("from"), <WholeWallet key="wallet" address={purchase.wallet} />],
      ]}
      action={t("purchase.hold.action")}
      isDangerous
      reasonHint={t("purchase.hold.hint")}
      done={t("purchase.hold.done")}
      decide={(reason) => holdPurchase(purchase.id, reason)}
      onClose={onClose}
    />
  );
}

function ReleaseDialog({ purchase, onClose }: DialogProps) {
  const { chz } = useFormat();
  const words = isRefused(purchase)
    ? {
        title: t("purchase.askAgain.title", { id: purchase.id }),
        text: t("purchase.askAgain.text"),
        action: t("purchase.askAgain.action"),
        done: t("purchase.askAgain.done"),
      }
    : {
        title: t("purchase.release.title", { id: purchase.id }),
        text: t("purchase.release.text"),
        action: t("purchase.release.action"),
        done: t("purchase.release.done"),
      };
  return (
    <DecisionDialog
      {...words}
      mayPay
      consequences={[
        [t("willBePaid"), chz(purchase.cashback)],
        [t("to"), <WholeWallet key="wallet" address={purchase.wallet} />],
        [t("purchase.heldFor"), purchase.held_reason],
      ]}
      reasonHint={t("reasonHint.log")}
      decide={(reason) => releasePurchase(purchase.id, reason)}
      preview={<DecisionPreview preview={useQuery(purchasePreviewQuery(purchase.id))} />}
      onClose={onClose}
    />
  );
}

function StateSummary({ purchase }: { purchase: PurchaseDetails }) {
  const { chz, date, dateTime } = useFormat();
  const shop = useText();
  const allowed = limitWords(purchase.wait_reason, purchase.wait_limit, chz);
  const wait = purchaseWait(purchase);
  const help = operationHelp(purchase.wait_reason);
  return (
    <div className={panelStyle.summary}>
      <StateBadge {...wordOf(PURCHASE_WORDS, purchase.state)} />
      {wait && (
        <p>
          <strong>{wait}</strong> {allowed} {help}
        </p>
      )}
      <p>
        {t("purchase.buyerReads", {
          text: shop(`situation.${situationWord(purchase)}`, {
            date: purchase.payable_at ? date(purchase.payable_at) : "",
          }),
        })}
      </p>
      {purchase.held_reason && <p>{t("purchase.heldReason", { heldReason: purchase.held_reason })}</p>}
      {purchase.expected_at && (
        <p className="muted">{t("purchase.expected", { expectedAt: dateTime(purchase.expected_at) })}</p>
      )}
      {purchase.wait_text && !allowed && <TechnicalDetail text={purchase.wait_text} />}
    </div>
  );
}
