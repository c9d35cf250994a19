import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";

type ConfirmDialogProps = { title: string; text: string; onConfirm: () => Promise<void>; onClose: () => void };

/** Deleting always asks first. Specification, section 5. */
export function ConfirmDialog({ title, text, onConfirm, onClose }: ConfirmDialogProps) {
  const [isBusy, setBusy] = useState(false);
  async function confirm() {
    setBusy(true);
    await onConfirm();
    onClose();
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      lang="pt-BR"
      actions={
        <>
          <button type="button" className="button button-quiet" onClick={onClose}>
            Cancelar
          </button>
          <button type="button" className="button button-danger" disabled={isBusy} onClick={confirm}>
            {isBusy ? "Excluindo..." : "Excluir"}
          </button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}
