import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { download } from "../../ui/download.ts";
import { toast } from "../../ui/toast.ts";
import { exportCatalogue } from "../admin-calls.ts";
import { PermittedButton } from "../decisions/permissions.tsx";
import { refusalOf } from "../refusals.ts";
import { ImportDialog } from "./import-dialog.tsx";

/** Exports the whole catalogue as a file, and imports one. */
export function CatalogueFile() {
  const [isImporting, setImporting] = useState(false);
  const save = useMutation({
    async mutationFn() {
      const name = `catalogo-${new Date().toISOString().slice(0, 10)}.csv`;
      download(name, "text/csv", await exportCatalogue("csv"));
    },
    onError: (error) =>
      toast.error("O catálogo não pôde ser exportado", { id: "admin", description: refusalOf(error) }),
  });
  return (
    <>
      <PermittedButton permission="catalogue" onClick={() => setImporting(true)}>
        Importar catálogo
      </PermittedButton>
      <button
        type="button"
        className="button button-small button-quiet"
        disabled={save.isPending}
        onClick={() => save.mutate()}
      >
        Exportar catálogo
      </button>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  );
}
