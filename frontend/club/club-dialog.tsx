import { useText } from "../i18n/language.tsx";
import { Dialog } from "../ui/dialog.tsx";
import ClubPicker from "./club-picker.tsx";

export default function ClubDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  return (
    <Dialog title={t("club.question")} onClose={onClose} look="wide">
      <ClubPicker onDone={onClose} />
    </Dialog>
  );
}
