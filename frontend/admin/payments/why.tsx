import type { OperationRecord } from "../../../domain/api/operations.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { TechnicalDetail } from "../technical-detail.tsx";
import { OPERATION_REASONS, operationWhy } from "../words.ts";

/** Why an operation waits or failed, what to do, and when it is retried. */
export function Why({ operation }: { operation: Pick<OperationRecord, "reason" | "error" | "next_try_at"> }) {
  const { dateTime } = useFormat();
  const { reason, error, next_try_at } = operation;
  const why = operationWhy(reason);
  if (!why) return <span className="muted">–</span>;
  return (
    <>
      {why}
      <span className="row-note">
        {OPERATION_REASONS[reason ?? ""]?.help}
        {next_try_at && ` Próxima tentativa: ${dateTime(next_try_at)}.`}
      </span>
      {error && <TechnicalDetail text={error} />}
    </>
  );
}
