import { useFormat } from "../../i18n/use-format.ts";
import style from "../list/admin-list.module.css";
import panelStyle from "../panel.module.css";
import type { OperationRecord } from "../shapes.ts";
import { t } from "../texts.ts";
import { limitWords, operationHelp, operationWhy } from "../words.ts";

/** Why an operation waits or failed, what to do, and when it is retried. */
export function Why({ operation }: { operation: Pick<OperationRecord, "reason" | "limit" | "error" | "next_try_at"> }) {
  const { chz, dateTime } = useFormat();
  const { reason, limit, error, next_try_at } = operation;
  const why = operationWhy(reason);
  if (!why) return <span className="muted">–</span>;
  const allowed = limitWords(reason, limit, chz);
  return (
    <>
      {why}
      <span className={style.note}>
        {allowed && `${allowed} `}
        {operationHelp(reason)}
        {next_try_at && ` ${t("operations.nextTry", { at: dateTime(next_try_at) })}`}
      </span>
      {error && !allowed && <TechnicalDetail text={error} />}
    </>
  );
}

/** The verbatim message of the program or the contract. */
export function TechnicalDetail({ text }: { text: string }) {
  return (
    <details className={panelStyle.technical}>
      <summary>{t("technical")}</summary>
      <code lang="en">{text}</code>
    </details>
  );
}
