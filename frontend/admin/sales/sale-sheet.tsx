import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
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
import factsStyle from "../facts.module.css";
import { Facts, WholeWallet } from "../facts.tsx";
import { viewHref } from "../list/list-address.ts";
import style from "../panel.module.css";
import purchaseLifeStyle from "../purchases/purchase-life.module.css";
import type { SaleDetails } from "../shapes.ts";
import { type CodeOf, t, textOf } from "../texts.ts";
import { heardText, networkName, SALE_WORDS, wordOf } from "../words.ts";
import { saleQuery } from "./queries.ts";
import { useSaleMoney, whyOf } from "./sale-words.ts";

type Decision = "release" | "decline" | "assign";

/** One sale: the network's report, each revision, its purchases, and the possible decisions. */
export function SaleSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const sale = useQuery(saleQuery(id));
  return (
    <Details title={t("sale.title", { id })} query={sale} onClose={onClose}>
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
      title={t("sale.title", { id: sale.id })}
      note={`${networkName(sale.network)} (${sale.account}) · ${sale.sale_key}`}
      onClose={onClose}
      actions={<Actions sale={sale} onDecide={setDeciding} />}
    >
      <div className="grid gap-5">
        <div className={style.summary}>
          <StateBadge {...wordOf(SALE_WORDS, sale.state)} />
          {sale.reason && (
            <p>
              <strong>{whyOf(sale)}</strong>
            </p>
          )}
          {sale.unknown_groups && <p>{t("sale.unknownGroups", { groups: sale.unknown_groups })}</p>}
        </div>
        <Facts
          rows={[
            [t("amount"), money(sale)],
            [t("commission"), sale.commission === null ? null : brl(sale.commission)],
            [t("cashback"), brl(sale.cashback)],
            [t("sale.result"), sale.commission === null ? null : brl(difference(sale.commission, sale.cashback))],
            [t("order"), sale.order_ref],
            [t("sale.networkSays"), reportText(sale)],
            [t("wallet"), sale.wallet && <span className={factsStyle.wholeHash}>{sale.wallet}</span>],
            [t("sale.visit"), sale.click_id],
            [t("sale.soldOn"), sale.occurred_at && dateTime(sale.occurred_at)],
            [t("sale.releasedBy"), sale.released_by],
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
          {t("sale.decline.action")}
        </PermittedButton>
      )}
      {sale.click_id === null && (
        <PermittedButton permission="sales" className="button button-small" onClick={() => onDecide("assign")}>
          {t("sale.assign.open")}
        </PermittedButton>
      )}
      {sale.state === "held" && (
        <PermittedButton permission="sales" className="button button-small" onClick={() => onDecide("release")}>
          {t("sale.release.action")}
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
      title={t("sale.release.title", { id: sale.id })}
      text={t("sale.release.text")}
      mayPay
      consequences={[
        [t("amount"), money(sale)],
        [t("commission"), sale.commission === null ? "–" : brl(sale.commission)],
        [t("cashback"), Number(sale.cashback) > 0 ? brl(sale.cashback) : t("sale.release.computed")],
        [t("to"), <WholeWallet key="wallet" address={sale.wallet} />],
        [t("sale.heldFor"), whyOf(sale) ?? "–"],
      ]}
      action={t("sale.release.action")}
      reasonHint={t("reasonHint.named")}
      done={t("sale.release.done")}
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
      title={t("sale.decline.title", { id: sale.id })}
      text={t("sale.decline.text")}
      consequences={[
        [t("amount"), money(sale)],
        [t("sale.decline.cashback"), brl(sale.cashback)],
        [t("from"), <WholeWallet key="wallet" address={sale.wallet} />],
      ]}
      action={t("sale.decline.action")}
      isDangerous
      reasonHint={t("sale.decline.hint")}
      done={t("sale.decline.done")}
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
      title={t("sale.assign.title", { id: sale.id })}
      text={t("sale.assign.text")}
      mayPay
      consequences={[[t("amount"), money(sale)]]}
      action={t("sale.assign.action")}
      reasonHint={t("reasonHint.log")}
      done={t("sale.assign.done")}
      validate={() => (click.trim() ? undefined : t("sale.assign.none"))}
      decide={(reason) => assignSale(sale, click.trim(), reason)}
      preview={<DecisionPreview preview={preview} saleId={sale.id} />}
      onClose={onClose}
    >
      <Field label={t("sale.assign.code")} hint={t("sale.assign.hint")}>
        {(control) => (
          <input {...control} autoCapitalize="none" value={click} onChange={({ target }) => onClick(target.value)} />
        )}
      </Field>
    </DecisionDialog>
  );
}

/** The whole code of a visit. */
const VISIT = /^(?:[a-z2-7]{26}|[0-9a-f]{32})$/;

type EachHasText = SalePurchaseStage extends CodeOf<"sale.stage"> ? "sale.stage" : never;
const STAGE: EachHasText = "sale.stage";

function Purchases({ sale }: { sale: SaleDetails }) {
  const { brl, chz } = useFormat();
  if (sale.purchases.length === 0) return null;
  return (
    <section aria-labelledby="sale-purchases">
      <h3 id="sale-purchases" className="card-title">
        {t("sale.purchases")}
      </h3>
      <ul className={style.plainRows}>
        {sale.purchases.map((one) => (
          <li key={one.id}>
            <Link className="link figures" to={viewHref({ view: "purchases" }, { row: String(one.id) })}>
              {t("numbered", { id: one.id })}
            </Link>{" "}
            {t(one.withdrawn ? "sale.purchaseWithdrawn" : "sale.purchase", {
              amount: brl(one.amount),
              cashback: brl(one.cashback),
              stage: heardText(STAGE, one.stage),
            })}
            {Number(one.owed_back) > 0 && ` · ${t("sale.owedBack", { amount: chz(one.owed_back) })}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** "aprovada, e paga" */
function reportText({ status, payable }: { status: string; payable: boolean | null }): string {
  const said = textOf("sale.status", status) ?? status;
  return payable ? t("sale.andPays", { status: said }) : said;
}

function Revisions({ sale }: { sale: SaleDetails }) {
  const { dateTime } = useFormat();
  const money = useSaleMoney();
  return (
    <section aria-labelledby="revisions">
      <h3 id="revisions" className="card-title">
        {t("sale.revisions")}
      </h3>
      <ol className={purchaseLifeStyle.life}>
        {sale.revisions.map((one) => (
          <li key={one.id} data-source="database">
            <span>
              {reportText(one)} ·{" "}
              <strong className="figures">
                {money({ ...one, amount_brl: one.currency === "BRL" ? one.amount : null })}
              </strong>
              {!one.applied && ` ${t("sale.notApplied")}`}
            </span>
            <time dateTime={one.read_at}>
              {textOf("sale.read", one.source, { at: dateTime(one.read_at) }) ?? dateTime(one.read_at)}
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
