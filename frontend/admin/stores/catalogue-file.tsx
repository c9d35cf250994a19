import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { download } from "../../ui/download.ts";
import { toast } from "../../ui/toast.ts";
import { exportCatalogue } from "../admin-calls.ts";
import { PermittedButton } from "../decisions/permissions.tsx";
import { refusalOf } from "../refusals.ts";
import { t } from "../texts.ts";
import { ImportDialog } from "./import-dialog.tsx";

/** Exports the whole catalogue as a file, and imports one. */
export function CatalogueFile() {
  const [isImporting, setImporting] = useState(false);
  const save = useMutation({
    async mutationFn() {
      const name = `catalogo-${new Date().toISOString().slice(0, 10)}.csv`;
      download(name, "text/csv", await exportCatalogue("csv"));
    },
    onError: (error) => toast.error(t("catalogue.exportFailed"), { id: "admin", description: refusalOf(error) }),
  });
  return (
    <>
      <PermittedButton permission="catalogue" onClick={() => setImporting(true)}>
        {t("catalogue.import")}
      </PermittedButton>
      <button
        type="button"
        className="button button-small button-quiet"
        disabled={save.isPending}
        onClick={() => save.mutate()}
      >
        {t("catalogue.export")}
      </button>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  );
}
