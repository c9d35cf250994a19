import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { fileText } from "../../../core/rules/spreadsheet.ts";
import { ApiError } from "../../api/http.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { FileChoice } from "../../ui/file-choice.tsx";
import { toast } from "../../ui/toast.ts";
import { useIsShown } from "../../ui/use-is-shown.ts";
import { useOneAtATime } from "../../ui/use-one-at-a-time.ts";
import { importCatalogue } from "../admin-calls.ts";
import style from "../panel.module.css";
import { refusalOf } from "../refusals.ts";
import type { CatalogueChange } from "../shapes.ts";
import { panelLocale, t } from "../texts.ts";
import { changeSentence } from "./catalogue-changes.ts";
import { reloadCatalogue } from "./queries.ts";

type CatalogueFile = { format: "csv" | "json"; content: string };

/** `unknown`: the import was sent, and whether it was applied is not known. */
type Import =
  | { step: "choosing" }
  | { step: "checking"; file: CatalogueFile }
  | { step: "shown"; file: CatalogueFile; changes: readonly CatalogueChange[] }
  | { step: "applying"; file: CatalogueFile; changes: readonly CatalogueChange[] }
  | { step: "refused"; problem: string | undefined }
  | { step: "unknown"; file: CatalogueFile };

/** Imports a catalogue file after showing its changes. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { state, choose, check, apply } = useImport(onClose);
  const changes = state.step === "shown" || state.step === "applying" ? state.changes : undefined;
  const count = changes?.length ?? 0;
  return (
    <Dialog
      title={t("catalogue.import")}
      lang={panelLocale()}
      look="wide"
      onClose={onClose}
      leave={t("cancel")}
      actions={
        state.step === "unknown" ? (
          <button type="button" className="button" onClick={() => check(state.file, { wasSent: true })}>
            {t("import.checkAgain")}
          </button>
        ) : (
          <button
            type="button"
            className="button"
            disabled={state.step !== "shown" || count === 0}
            onClick={() => state.step === "shown" && apply(state.file, state.changes)}
          >
            {t("import.apply", { count })}
          </button>
        )
      }
    >
      <div className="grid gap-4">
        <Field label={t("import.file")} hint={t("import.hint")}>
          {(control) => (
            <FileChoice
              action={t("import.choose")}
              none={t("import.noFile")}
              accept=".csv,.json,text/csv,application/json"
              disabled={state.step === "applying"}
              choose={choose}
              {...control}
            />
          )}
        </Field>
        <Progress state={state} />
        {changes?.length === 0 && <p className="hint">{t("import.same")}</p>}
        {changes && count > 0 && <Changes changes={changes} />}
      </div>
    </Dialog>
  );
}

/** What is being done, or why it was not done. */
function Progress({ state }: { state: Import }) {
  switch (state.step) {
    case "checking":
    case "applying":
      return (
        <p className="busy" role="status">
          <span className="spinner" aria-hidden="true" />
          {state.step === "applying" ? t("import.applying") : t("import.checking")}
        </p>
      );
    case "refused":
      return (
        <div className="problem" role="alert">
          <p>{t("import.refused")}</p>
          <pre className={style.lines}>{state.problem}</pre>
        </div>
      );
    case "unknown":
      return (
        <div className="problem" role="alert">
          <p>{t("import.unknown")}</p>
        </div>
      );
    default:
      return null;
  }
}

function Changes({ changes }: { changes: readonly CatalogueChange[] }) {
  const id = useId();
  return (
    <section aria-labelledby={`${id}-changes`}>
      <h3 id={`${id}-changes`} className="card-title">
        {t("import.toDo", { count: changes.length })}
      </h3>
      <ul className={style.lines}>
        {changes.map(changeSentence).map((line) => (
          <li key={line} data-kind={line.charAt(0)}>
            {line}
          </li>
        ))}
      </ul>
    </section>
  );
}

function useImport(onClose: () => void) {
  const client = useQueryClient();
  const isShown = useIsShown();
  const [state, setState] = useState<Import>({ step: "choosing" });
  /** The file chosen last; responses about earlier files are ignored. */
  const latest = useRef<object>(undefined);

  /** `wasSent`: it may be applied already, so no failure of the check can say that nothing was changed. */
  async function check(file: CatalogueFile, { wasSent = false } = {}): Promise<void> {
    latest.current = file;
    setState({ step: "checking", file });
    const next = await importCatalogue(file.format, file.content, false).then(
      ({ preview }): Import => ({ step: "shown", file, changes: preview }),
      (error: unknown): Import =>
        wasSent ? { step: "unknown", file } : { step: "refused", problem: refusalOf(error) },
    );
    if (latest.current === file) setState(next);
  }
  async function choose(picked: File | undefined): Promise<void> {
    latest.current = picked;
    setState({ step: "choosing" });
    if (!picked) return;
    const format = picked.name.toLowerCase().endsWith(".json") ? "json" : "csv";
    const content = fileText(new Uint8Array(await picked.arrayBuffer()));
    if (latest.current === picked) await check({ format, content });
  }
  const { mutateAsync } = useMutation({
    mutationFn: ({ format, content }: CatalogueFile) => importCatalogue(format, content, true),
    onSuccess: (made) => {
      if (!isShown()) return;
      toast.success(t("import.done", { count: made.changes.length }), { id: "admin" });
      onClose();
    },
    onError: (error, file) =>
      setState(wasRefused(error) ? { step: "refused", problem: refusalOf(error) } : { step: "unknown", file }),
    onSettled: () => reloadCatalogue(client),
  });
  const apply = useOneAtATime(async (file: CatalogueFile, changes: readonly CatalogueChange[]): Promise<void> => {
    setState({ step: "applying", file, changes });
    await mutateAsync(file).catch(() => undefined);
  });
  return { state, choose, check, apply };
}

/**
 * Whether the server rejected the request and changed nothing. After a time-out, a 5xx or no response, that is unknown.
 */
const wasRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 408;
