import { type FormEvent, useId, useState } from "react";
import { parsePercent, percentText } from "../../domain/money.ts";
import { Dialog } from "../ui/dialog.tsx";
import type { CashbackFields } from "./admin-calls.ts";
import { toastMissing } from "./admin-toasts.ts";

type CashbackDialogProps = {
  initial: CashbackFields | undefined;
  onClose: () => void;
  onSubmit: (fields: CashbackFields) => Promise<boolean>;
};

/** Adds or edits a cashback category. A comma is read as a dot; what is sent has a dot. */
export function CashbackDialog({ initial, onClose, onSubmit }: CashbackDialogProps) {
  const id = useId();
  const [category, setCategory] = useState(initial?.category ?? "");
  const [percent, setPercent] = useState(initial?.cashback_percent ?? "");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const isNew = initial === undefined;
  async function submit(event: FormEvent) {
    event.preventDefault();
    const isMissing = !category.trim() || !percent.trim();
    if (isNew && isMissing) {
      toastMissing("Categoria e percentual são obrigatórios.");
      return;
    }
    const read = percent.trim() === "" ? "" : readPercent(percent);
    if (read === undefined) {
      setProblem("Informe um percentual de 0 a 100, com até 2 casas, por exemplo 5.75.");
      return;
    }
    setProblem("");
    setBusy(true);
    const isSaved = await onSubmit({ category: category.trim(), cashback_percent: read });
    setBusy(false);
    if (isSaved) onClose();
  }
  return (
    <Dialog title={isNew ? "Adicionar cashback" : "Editar cashback"} onClose={onClose} lang="pt-BR">
      <form onSubmit={submit} noValidate className="grid gap-4">
        <label className="field">
          <span>Categoria</span>
          <input
            name="category"
            maxLength={60}
            value={category}
            onChange={(event) => setCategory(event.target.value)}
          />
        </label>
        <div className="field">
          <label htmlFor={`${id}-percent`}>Percentual de cashback</label>
          <input
            id={`${id}-percent`}
            name="cashback_percent"
            inputMode="decimal"
            value={percent}
            aria-invalid={problem !== ""}
            aria-describedby={`${id}-hint${problem ? ` ${id}-problem` : ""}`}
            onChange={(event) => setPercent(event.target.value)}
          />
          <span id={`${id}-hint`} className="field-hint">
            Use ponto como separador decimal, por exemplo 5.75.
          </span>
          {problem && (
            <span id={`${id}-problem`} role="alert" className="field-problem">
              {problem}
            </span>
          )}
        </div>
        <div className="form-actions">
          <button type="button" className="button button-quiet" onClick={onClose}>
            Cancelar
          </button>
          <button type="submit" className="button" disabled={isBusy}>
            {isBusy ? "Salvando..." : isNew ? "Adicionar" : "Salvar alterações"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function readPercent(text: string): string | undefined {
  try {
    return percentText(parsePercent(text));
  } catch {
    return undefined;
  }
}
