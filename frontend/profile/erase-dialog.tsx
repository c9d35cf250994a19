import { useText } from "../i18n/language.tsx";
import { Dialog } from "../ui/dialog.tsx";

type EraseDialogProps = { isBusy: boolean; problem: string; onErase: () => void; onClose: () => void };

/** Asks before the account is erased. docs/product.md#erase */
export default function EraseDialog({ isBusy, problem, onErase, onClose }: EraseDialogProps) {
  const t = useText();
  return (
    <Dialog
      title={t("profile.erase")}
      onClose={onClose}
      leave={t("common.cancel")}
      actions={
        <button type="button" className="button button-danger" disabled={isBusy} onClick={onErase}>
          {t("profile.erase.yes")}
        </button>
      }
    >
      <p>{t("profile.erase.text")}</p>
      {problem && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
