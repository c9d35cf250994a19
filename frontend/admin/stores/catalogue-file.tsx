import { useQueryClient } from "@tanstack/react-query";
import { type ChangeEvent, useId, useState } from "react";
import { storesQuery } from "../../api/queries.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { download } from "../../ui/download.ts";
import { toast } from "../../ui/toast.ts";
import { exportCatalogue, importCatalogue } from "../admin-calls.ts";
import { PermittedButton } from "../decisions/permissions.tsx";
import { refusalOf } from "../refusals.ts";
import type { CatalogueChanges } from "../shapes.ts";
import { changeSentence } from "./catalogue-changes.ts";

/** Exports the whole catalogue as a file, and imports one after showing the changes. */
export function CatalogueFile() {
  const [isImporting, setImporting] = useState(false);
  async function save() {
    try {
      const name = `catalogo-${new Date().toISOString().slice(0, 10)}.csv`;
      download(name, "text/csv", await exportCatalogue("csv"));
    } catch (error) {
      toast.error("O catálogo não pôde ser exportado", { id: "admin", description: refusalOf(error) });
    }
  }
  return (
    <>
      <PermittedButton permission="catalogue" onClick={() => setImporting(true)}>
        Importar catálogo
      </PermittedButton>
      <button type="button" className="button button-small button-quiet" onClick={save}>
        Exportar catálogo
      </button>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  );
}

type File = { name: string; format: "csv" | "json"; content: string };

function ImportDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const id = useId();
  const [file, setFile] = useState<File>();
  const [changes, setChanges] = useState<string[]>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function run(chosen: File, apply: boolean): Promise<CatalogueChanges | undefined> {
    setBusy(true);
    setProblem(undefined);
    try {
      return await importCatalogue(chosen.format, chosen.content, apply);
    } catch (error) {
      setProblem(refusalOf(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  }
  async function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const picked = target.files?.[0];
    setFile(undefined);
    setChanges(undefined);
    if (!picked) return;
    const format = picked.name.toLowerCase().endsWith(".json") ? "json" : "csv";
    const chosen = { name: picked.name, format, content: await picked.text() } as const;
    const found = await run(chosen, false);
    if (!found) return;
    setFile(chosen);
    setChanges(found.changes);
  }
  async function apply() {
    if (!file) return;
    const made = await run(file, true);
    if (!made) return;
    toast.success(countText(made.changes.length, "feita"), { id: "admin" });
    onClose();
    await Promise.all([
      client.invalidateQueries({ queryKey: storesQuery.queryKey }),
      client.invalidateQueries({ queryKey: ["own"] }),
    ]);
  }
  const hasChanges = changes !== undefined && changes.length > 0;
  return (
    <Dialog
      title="Importar catálogo"
      lang="pt-BR"
      look="wide"
      onClose={onClose}
      actions={
        <>
          <button type="button" className="button button-quiet" onClick={onClose}>
            Cancelar
          </button>
          <button type="button" className="button" disabled={!hasChanges || isBusy} onClick={apply}>
            {hasChanges ? `Aplicar ${changes.length} ${changes.length === 1 ? "mudança" : "mudanças"}` : "Aplicar"}
          </button>
        </>
      }
    >
      <div className="grid gap-4">
        <div className="field">
          <label htmlFor={id}>Arquivo do catálogo (.csv ou .json)</label>
          <input id={id} type="file" accept=".csv,.json,text/csv,application/json" onChange={choose} />
          <span className="field-hint">
            Primeiro você vê o que mudaria. Lojas que o arquivo não cita ficam como estão; ou entra tudo, ou nada.
          </span>
        </div>
        {isBusy && (
          <p className="busy" role="status">
            <span className="spinner" aria-hidden="true" />
            Conferindo o arquivo...
          </p>
        )}
        {problem && (
          <div className="problem" role="alert">
            <p>O arquivo não pode ser importado. Nada foi mudado.</p>
            <pre className="import-lines">{problem}</pre>
          </div>
        )}
        {changes?.length === 0 && <p className="hint">O arquivo é igual ao catálogo: não há o que mudar.</p>}
        {hasChanges && (
          <section aria-labelledby={`${id}-changes`}>
            <h3 id={`${id}-changes`} className="card-title">
              {countText(changes.length, "a fazer")}
            </h3>
            <ul className="import-lines">
              {changes.map((line) => (
                <li key={line} data-kind={line.charAt(0)}>
                  {changeSentence(line)}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  );
}

const countText = (count: number, what: string): string =>
  `${count} ${count === 1 ? "mudança" : "mudanças"} ${count === 1 || what === "a fazer" ? what : `${what}s`}`;
