import { Dialog as Modal } from "@base-ui/react/dialog";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ErrorBoundary } from "../app/error-boundary.tsx";
import { useText } from "../i18n/language.tsx";
import { Icon } from "./icon.tsx";
import { useCloseOnBack } from "./use-close-on-back.ts";

export type DialogProps = {
  title: ReactNode;
  note?: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** Buttons at the bottom, always visible; before them, with this label, one that closes the dialog. */
  actions?: ReactNode;
  leave?: string;
  /** `sheet`: details of a row, next to its list; full screen on a phone. */
  look?: keyof typeof CLASSES;
  lang?: string;
  /**
   * The element that takes the focus when the dialog closes, instead of its opener, which may be about to disappear.
   */
  focusAfter?: ((opener: Element | null) => HTMLElement | null | undefined) | undefined;
};

const CLASSES = { narrow: "dialog", wide: "dialog dialog-wide", sheet: "dialog sheet" };

/** A modal that is open while it is rendered: the close button, Escape and a click on the backdrop request to close it. */
export function Dialog(props: DialogProps) {
  const { title, note, onClose, children, actions, leave, look = "narrow", lang, focusAfter } = props;
  const t = useText();
  const [opener] = useState(() => document.activeElement);
  const popup = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // A phone's keyboard has opened: not every browser keeps the field in sight.
    const seeField = () => document.activeElement?.scrollIntoView({ block: "nearest" });
    addEventListener("resize", seeField);
    return () => removeEventListener("resize", seeField);
  }, []);
  useCloseOnBack(onClose);
  return (
    <Modal.Root open onOpenChange={onClose}>
      <Modal.Portal>
        <Modal.Backdrop className="dialog-backdrop" />
        <Modal.Popup
          ref={popup}
          lang={lang}
          className={CLASSES[look]}
          initialFocus={() => firstChoice(popup.current) ?? heading.current}
          finalFocus={() => focusAfter?.(opener) ?? true}
        >
          <div className="dialog-body">
            <div className="dialog-head">
              <div>
                <Modal.Title ref={heading} tabIndex={-1}>
                  {title}
                </Modal.Title>
                {note && <p className="muted">{note}</p>}
              </div>
              <Modal.Close className="icon-button" aria-label={t("common.close")}>
                <Icon name="close" />
              </Modal.Close>
            </div>
            <ErrorBoundary part="dialog" resetKey="">
              {children}
            </ErrorBoundary>
          </div>
          {(actions || leave) && (
            <div className="dialog-actions">
              <ErrorBoundary part="dialog" resetKey="">
                {leave && <Modal.Close className="button button-quiet">{leave}</Modal.Close>}
                {actions}
              </ErrorBoundary>
            </div>
          )}
        </Modal.Popup>
      </Modal.Portal>
    </Modal.Root>
  );
}

const CHOICES =
  ":is(a[href], button, input, select, textarea, [tabindex='0']):not(:disabled, [tabindex='-1'], .dialog-head *)";
const WRITTEN = "textarea, input:not([type=radio], [type=checkbox])";

/**
 * What can be chosen first, if it is in sight: a dialog opens at its top. Not what opens a phone's keyboard, which would
 * cover what the dialog says.
 */
function firstChoice(popup: HTMLElement | null): HTMLElement | undefined {
  const choices = [...(popup?.querySelectorAll<HTMLElement>(CHOICES) ?? [])];
  const first = choices.find((one) => one.checkVisibility());
  if (!popup || !first) return undefined;
  if (first.matches(WRITTEN) && matchMedia("(pointer: coarse)").matches) return undefined;
  const room = first.closest(".dialog-body") ?? popup;
  return first.getBoundingClientRect().bottom <= room.getBoundingClientRect().bottom ? first : undefined;
}
