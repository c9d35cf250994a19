import { useText } from "../i18n/language.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { InfoTopic } from "./info-topics.ts";

/** About, FAQ, contact and terms: short enough to be read without leaving the page. */
export default function InfoDialog({ topic, onClose }: { topic: InfoTopic; onClose: () => void }) {
  const t = useText();
  return (
    <Dialog title={t(`info.${topic}.title`)} onClose={onClose}>
      {t(`info.${topic}.body`)
        .split("\n")
        .map((paragraph) => (
          <p key={paragraph} className="mb-3">
            {paragraph}
          </p>
        ))}
    </Dialog>
  );
}
