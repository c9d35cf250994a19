import { Dialog as Modal } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { useText } from "../i18n/language.tsx";
import { Icon } from "./icon.tsx";

type DialogProps = {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** Buttons at the bottom, always in sight. */
  actions?: ReactNode;
  isWide?: boolean;
  lang?: string;
};

/** The page's heading takes the focus where what opened the dialog is gone. */
const heading = () => document.querySelector<HTMLElement>("main h1");

/** A modal that is open while it is rendered: the close button, Escape and a press on the backdrop ask to close it. */
export function Dialog({ title, onClose, children, actions, isWide = false, lang }: DialogProps) {
  const t = useText();
  const [opener] = useState(() => document.activeElement);
  return (
    <Modal.Root open onOpenChange={onClose}>
      <Modal.Portal>
        <Modal.Backdrop className="dialog-backdrop" />
        <Modal.Popup
          lang={lang}
          className={isWide ? "dialog dialog-wide" : "dialog"}
          finalFocus={() => (opener?.isConnected ? true : heading())}
        >
          <div className="dialog-body">
            <div className="dialog-head">
              <Modal.Title>{title}</Modal.Title>
              <Modal.Close className="icon-button" aria-label={t("common.close")}>
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
