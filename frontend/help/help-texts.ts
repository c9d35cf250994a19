import { use } from "react";
import type { Language } from "../../core/rules/languages.ts";
import { pageLanguage, useLanguage } from "../i18n/language.tsx";
import type { HelpTopic } from "./help-topics.ts";

type Section = { heading: string | undefined; text: string };

/** The long texts of each language are a file of their own, loaded by the pages that show them (`vite.config.ts`). */
const files = import.meta.glob<Record<string, string>>("../../core/rules/languages/*.json", {
  query: "?help",
  import: "default",
});
const loading = new Map<Language, Promise<Record<string, string>>>();

function textsIn(language: Language): Promise<Record<string, string>> {
  const load = files[`../../core/rules/languages/${language}.json`];
  if (!load) throw new Error(`core/rules/languages/${language}.json does not exist`);
  const texts = loading.get(language) ?? load();
  loading.set(language, texts);
  // What could not be loaded is asked for again.
  texts.catch(() => loading.delete(language));
  return texts;
}

// With the code of these pages, not after it.
textsIn(pageLanguage()).catch(() => {});

/** The sections of a topic in the user's language, in order. */
export function useHelp(): (topic: HelpTopic) => Section[] {
  const texts = use(textsIn(useLanguage().language));
  return (topic) => {
    const sections: Section[] = [];
    for (let at = 1; ; at++) {
      const text = texts[`helpText.${topic}.${at}`];
      if (text === undefined) return sections;
      sections.push({ heading: texts[`helpText.${topic}.${at}.heading`], text });
    }
  };
}
