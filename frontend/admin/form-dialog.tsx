import { type FormEventHandler, type ReactNode, useId } from "react";
import { Dialog, type DialogProps } from "../ui/dialog.tsx";
import { panelLocale, t } from "./texts.ts";

type FormDialogProps = {
  title: string;
  /** The label of the submit button. */
  action: string;
  isBusy: boolean;
  look?: DialogProps["look"];
  onClose: () => void;
  onSubmit: FormEventHandler;
  children: ReactNode;
};

/** A form in a dialog, with its buttons always visible below the fields. */
export function FormDialog({ title, action, isBusy, look = "narrow", onClose, onSubmit, children }: FormDialogProps) {
  const formId = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      look={look}
      lang={panelLocale()}
      leave={t("cancel")}
      actions={
        <button type="submit" form={formId} className="button" disabled={isBusy}>
          {isBusy ? t("saving") : action}
        </button>
      }
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="grid gap-4">
        {children}
      </form>
    </Dialog>
  );
}
