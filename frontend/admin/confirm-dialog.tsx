import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { useIsShown } from "../ui/use-is-shown.ts";
import { useOneAtATime } from "../ui/use-one-at-a-time.ts";
import type { Outcome } from "./admin-calls.ts";
import { toastOutcome } from "./admin-toasts.tsx";
import { panelLocale, t } from "./texts.ts";
import type { Saving } from "./use-saving.ts";

type ConfirmDialogProps = Saving & {
  title: string;
  text: string;
  request: () => Promise<Outcome>;
  /** Leaves the page of what was deleted. */
  onDeleted?: () => void;
  /** What else there is to know first. */
  children?: ReactNode;
};

/** Deleting always asks for confirmation. docs/product.md#catalogue-deletes. */
export function ConfirmDialog({ title, text, request, onDeleted, children, ...saving }: ConfirmDialogProps) {
  const { done, failed, reload, onClose } = saving;
  const isShown = useIsShown();
  // Deleting the row also removes the button that opened the dialog.
  const isDeleted = useRef(false);
  const { mutateAsync, isPending } = useMutation({
    mutationFn: request,
    onSuccess: async (outcome) => {
      // The page it leads to takes the focus itself.
      isDeleted.current = outcome.success && onDeleted === undefined;
      if (isShown()) {
        toastOutcome(outcome, done, failed);
        if (outcome.success) onDeleted?.();
      }
      if (outcome.success) await reload();
      if (isShown()) onClose();
    },
  });
  const confirm = useOneAtATime(() => mutateAsync());
  return (
    <Dialog
      title={title}
      onClose={onClose}
      lang={panelLocale()}
      focusAfter={() => (isDeleted.current ? document.querySelector<HTMLElement>("main h1") : undefined)}
      leave={t("cancel")}
      actions={
        <button type="button" className="button button-danger" disabled={isPending} onClick={confirm}>
          {isPending ? t("deleting") : t("delete")}
        </button>
      }
    >
      <p>{text}</p>
      {children}
    </Dialog>
  );
}
