import { type FormEvent, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import type { StoreFields } from "./admin-calls.ts";
import { toastMissing } from "./admin-toasts.ts";

const EMPTY: StoreFields = {
  name: "",
  country: "",
  club: "",
  category: "",
  description: "",
  logo: "",
  affiliate_link: "",
  featured: false,
};

type TextField = Exclude<keyof StoreFields, "featured">;
const FIELDS: readonly { name: TextField; label: string; isRequired?: boolean; maxLength: number; type?: string }[] = [
  { name: "name", label: "Nome", isRequired: true, maxLength: 40 },
  { name: "country", label: "País", isRequired: true, maxLength: 60 },
  { name: "club", label: "Clube", maxLength: 60 },
  { name: "category", label: "Categoria", maxLength: 60 },
  { name: "affiliate_link", label: "Link de afiliado", maxLength: 2_048, type: "url" },
  { name: "logo", label: "URL do logo", maxLength: 2_048, type: "url" },
];

type StoreDialogProps = {
  title: string;
  action: string;
  initial?: StoreFields;
  onClose: () => void;
  /** Answers whether it was saved; the form stays open where it was not. */
  onSubmit: (fields: StoreFields) => Promise<boolean>;
};

/** Creates or edits a store. Specification, sections 2 and 5. */
export function StoreDialog({ title, action, initial = EMPTY, onClose, onSubmit }: StoreDialogProps) {
  const [fields, setFields] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const [hasTried, setTried] = useState(false);
  const set = (name: keyof StoreFields, value: string | boolean) =>
    setFields((before) => ({ ...before, [name]: value }));
  async function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    const trimmed = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? value.trim() : value]),
    ) as StoreFields;
    if (!trimmed.name || !trimmed.country) {
      toastMissing("Nome e país são campos obrigatórios.");
      return;
    }
    setBusy(true);
    const isSaved = await onSubmit(trimmed);
    setBusy(false);
    if (isSaved) onClose();
  }
  return (
    <Dialog title={title} onClose={onClose} isWide lang="pt-BR">
      <form onSubmit={submit} noValidate className="grid gap-4">
        <div className="form-grid">
          {FIELDS.map(({ name, label, isRequired, maxLength, type }) => (
            <label key={name} className="field">
              <span>{isRequired ? `${label} *` : label}</span>
              <input
                name={name}
                type={type ?? "text"}
                maxLength={maxLength}
                required={isRequired}
                value={fields[name]}
                aria-invalid={hasTried && isRequired && !fields[name].trim()}
                onChange={(event) => set(name, event.target.value)}
              />
            </label>
          ))}
        </div>
        <label className="field">
          <span>Descrição</span>
          <textarea
            name="description"
            rows={3}
            maxLength={1_000}
            value={fields.description}
            onChange={(event) => set("description", event.target.value)}
          />
        </label>
        <label className="check">
          <input
            type="checkbox"
            name="featured"
            checked={fields.featured}
            onChange={(event) => set("featured", event.target.checked)}
          />
          <span>Loja em destaque</span>
        </label>
        <div className="form-actions">
          <button type="button" className="button button-quiet" onClick={onClose}>
            Cancelar
          </button>
          <button type="submit" className="button" disabled={isBusy}>
            {isBusy ? "Salvando..." : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
