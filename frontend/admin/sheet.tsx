import { Dialog as Modal } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";

type SheetProps = { title: ReactNode; note?: ReactNode; onClose: () => void; actions?: ReactNode; children: ReactNode };

/** Details of a row, next to its list; full screen on a phone. Escape closes it. */
export function Sheet({ title, note, onClose, actions, children }: SheetProps) {
  return (
    <Modal.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Modal.Portal>
        <Modal.Backdrop className="dialog-backdrop" />
        <Modal.Popup lang="pt-BR" className="dialog sheet">
          <div className="dialog-body">
            <div className="dialog-head">
              <div>
                <Modal.Title>{title}</Modal.Title>
                {note && <p className="muted">{note}</p>}
              </div>
              <Modal.Close className="icon-button" aria-label="Fechar">
                <Icon name="close" />
              </Modal.Close>
            </div>
            {children}
          </div>
          {actions && <div className="dialog-actions">{actions}</div>}
        </Modal.Popup>
      </Modal.Portal>
    </Modal.Root>
  );
}
