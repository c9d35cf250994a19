import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { bookingFileResponseSchema } from "../../../core/rules/api/admin-accounts.ts";
import { fileText } from "../../../core/rules/spreadsheet.ts";
import { ask } from "../../api/ask.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Field } from "../../ui/field.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { refusalOf } from "../refusals.ts";
import { RichText } from "../rich-text.tsx";
import { t } from "../texts.ts";
import { networkName } from "../words.ts";
import { post } from "./booking-dialogs.tsx";
import { type AccountName, accountPath } from "./queries.ts";

/** Books the lines of a bank's CSV, which are listed first. docs/admin.md#accounts */
export function BankFile({ account, onClose }: { account: AccountName; onClose: () => void }) {
  const { brl, date } = useFormat();
  const [content, setContent] = useState("");
  const path = `${accountPath(account)}/bookings/file`;
  const preview = useMutation({
    mutationFn: (text: string) =>
      ask(bookingFileResponseSchema, path, { method: "POST", body: { format: "csv", content: text, apply: false } }),
  });
  const fresh = preview.data?.rows.filter(({ is_known }) => !is_known) ?? [];
  const read = async (file: File | undefined) => {
    const text = file ? fileText(new Uint8Array(await file.arrayBuffer())) : "";
    setContent(text);
    if (text === "") preview.reset();
    else preview.mutate(text);
  };
  return (
    <DecisionDialog
      title={t("bankFile.title", { account: account.account, network: networkName(account.network) })}
      text={t("bankFile.text")}
      action={t("bankFile.action")}
      mayPay
      done={t("bankFile.done")}
      validate={() => (fresh.length === 0 ? t("bankFile.nothing") : undefined)}
      decide={() => post(path, { format: "csv", content, apply: true })}
      onClose={onClose}
    >
      <Field label={t("bankFile.file")} problem={preview.isError ? refusalOf(preview.error) : undefined}>
        {(control) => (
          <input type="file" accept=".csv,text/csv" {...control} onChange={({ target }) => read(target.files?.[0])} />
        )}
      </Field>
      {preview.data && (
        <>
          <p>
            <RichText
              id="bankFile.found"
              total={<strong>{brl(preview.data.total)}</strong>}
              count={fresh.length}
              leftOut={preview.data.left_out}
            />
          </p>
          <ul className="grid gap-3">
            {preview.data.rows.map(({ line, amount, arrived_on, reference, is_known }) => (
              <li key={line}>
                {date(arrived_on)} · {brl(amount)} · {reference}
                {is_known && <span className="muted"> {t("bankFile.known")}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </DecisionDialog>
  );
}
