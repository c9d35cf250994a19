import { useQuery } from "@tanstack/react-query";
import { configQuery } from "../api/queries.ts";
import { useText } from "../i18n/language.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { InfoTopic } from "./info-topics.ts";

/** About, FAQ, contact and terms, readable without leaving the page. */
export default function InfoDialog({ topic, onClose }: { topic: InfoTopic; onClose: () => void }) {
  const t = useText();
  const program = useQuery(configQuery).data.bonus_program;
  const body = t(`info.${topic}.body`).split("\n");
  const paragraphs = topic === "faq" ? [t(`info.faq.bonus.${program}`), ...body] : body;
  return (
    <Dialog title={t(`info.${topic}.title`)} onClose={onClose}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph} className="mb-3">
          {paragraph}
        </p>
      ))}
    </Dialog>
  );
}
