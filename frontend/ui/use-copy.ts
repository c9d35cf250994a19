import { type MessageId, useText } from "../i18n/language.tsx";
import { toast } from "./toast.ts";

/** Copies a text and confirms it; if the browser refuses, shows the text for manual copying. */
export function useCopy(copied: MessageId, notCopied: MessageId): (text: string) => Promise<void> {
  const t = useText();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t(copied), { id: "copied" });
    } catch {
      toast.error(t(notCopied), { id: "copied", description: text });
    }
  };
}
