import { useRef, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";

type ConfirmDialogProps = {
  title: string;
  text: string;
  /** Returns whether it was deleted. */
  onConfirm: () => Promise<boolean>;
  onClose: () => void;
};

/** Deleting always asks for confirmation. docs/product.md#catalogue-deletes. */
export function ConfirmDialog({ title, text, onConfirm, onClose }: ConfirmDialogProps) {
  const [isBusy, setBusy] = useState(false);
  // Deleting the row also removes the button that opened the dialog.
  const isDeleted = useRef(false);
  async function confirm() {
    setBusy(true);
    isDeleted.current = await onConfirm();
    onClose();
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      lang="pt-BR"
      focusAfter={() => (isDeleted.current ? document.querySelector<HTMLElement>("main h1") : undefined)}
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
