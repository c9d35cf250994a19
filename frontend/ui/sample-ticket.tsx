import { percentText } from "../../core/rules/money.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { usePromise } from "./promise.tsx";
import style from "./sample-ticket.module.css";

type SampleTicketProps = {
  status: "confirmed" | "pending";
  name: string;
  /** Whose promise it shows; without one it says no percent. */
  store: Parameters<ReturnType<typeof usePromise>>[0] | undefined;
  value: number;
};

/** A ticket that nobody has, as the contract draws one, with what a store promises. docs/product.md#samples */
export function SampleTicket({ status, name, store, value }: SampleTicketProps) {
  const t = useText();
  const { brl, percent } = useFormat();
  const promise = usePromise();
  const promised = store && promise(store);
  return (
    <div className={style.ticket} data-status={status}>
      <img src={`/sample-${status}.svg`} alt="" width="600" height="600" />
      <p className={style.kicker}>{t("samples.kicker")}</p>
      <p className={style.name}>{name}</p>
      <dl>
        {promised && (
          <div className={style.percent}>
            <dt className="sr-only">{t("ticket.cashback")}</dt>
            <dd>
              {promised.isRange && <small>{t("store.upTo")}</small>} {percent(percentText(promised.totalBps))}
            </dd>
          </div>
        )}
        <div className={style.value}>
          <dt className="sr-only">{t("ticket.value")}</dt>
          <dd>{brl(value)}</dd>
        </div>
      </dl>
      <p className="sr-only">{t(`status.${status}`)}</p>
    </div>
  );
}
