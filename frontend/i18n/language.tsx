/// <reference types="vite/client" />
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { createIntl, IntlProvider, type IntlShape, useIntl } from "react-intl";
import pt from "../../core/rules/languages/pt.json";
import {
  DEFAULT_LANGUAGE,
  LANGUAGE_NAMES,
  LANGUAGES,
  type Language,
  languageFrom,
} from "../../core/rules/languages.ts";
import { readStored, STORAGE_KEYS, store, watchOtherTabs } from "../app/storage.ts";

export type MessageId = keyof typeof pt;

declare global {
  namespace FormatjsIntl {
    interface Message {
      ids: MessageId;
    }
  }
}

type Values = Record<string, string | number | bigint | boolean | Date | null | undefined>;

const catalogues: Partial<Record<Language, Record<string, string>>> = { pt };

/** Each but Portuguese is loaded only when it is used. */
const others = import.meta.glob<Record<string, string>>(
  ["../../core/rules/languages/*.json", "!../../core/rules/languages/pt.json"],
  { import: "default" },
);

export async function loadLanguage(language: Language): Promise<void> {
  const load = others[fileOf(language)];
  if (load) catalogues[language] ??= await load();
  await Promise.all([...wantedParts].map((part) => addTexts(part, language)));
}

const fileOf = (language: Language) => `../../core/rules/languages/${language}.json`;

/** What few readers see, only on a page of its own, or not at first is in files of its own (`LATER` in `vite.config.ts`). */
const later = {
  later: import.meta.glob<Record<string, string>>("../../core/rules/languages/*.json", {
    query: "?later",
    import: "default",
  }),
  /** What of a ticket was compared with the chain. */
  check: import.meta.glob<Record<string, string>>("../../core/rules/languages/*.json", {
    query: "?check",
    import: "default",
  }),
  /** The figures of clubs' fans. */
  fans: import.meta.glob<Record<string, string>>("../../core/rules/languages/*.json", {
    query: "?fans",
    import: "default",
  }),
  /** A club's page. */
  club: import.meta.glob<Record<string, string>>("../../core/rules/languages/*.json", {
    query: "?club",
    import: "default",
  }),
};
type Part = keyof typeof later;
const wantedParts = new Set<Part>();

/** So that a language that is all there is chosen at once, and not lost where the page is left in that moment. */
const added = new Set<string>();

async function addTexts(part: Part, language: Language): Promise<void> {
  const [key, catalogue] = [`${part} ${language}`, catalogues[language]];
  if (added.has(key) || !catalogue) return;
  // Into the catalogue that the library has: it looks a message up when it is said.
  Object.assign(catalogue, await later[part][fileOf(language)]?.());
  added.add(key);
}

/** Loads these texts, before anything that says them. */
export async function loadLaterTexts(part: Part = "later"): Promise<void> {
  wantedParts.add(part);
  await Promise.all(LANGUAGE_NAMES.filter((one) => catalogues[one]).map((language) => addTexts(part, language)));
}

/** The locale and the texts of a language; Portuguese while those are not here. */
function configOf(language: Language) {
  const known = catalogues[language] ? language : DEFAULT_LANGUAGE;
  return { locale: LANGUAGES[known].locale, messages: catalogues[known], defaultLocale: LANGUAGES.pt.locale };
}

/**
 * Portuguese, whatever the browser's language, until the user chooses; the choice is stored. docs/product.md#language.
 * Loads the remembered language, and the browser's data for it, before the first render.
 */
export async function restoreLanguage(): Promise<Language> {
  const language: Language = languageFrom(readStored(STORAGE_KEYS.language));
  try {
    await loadLanguage(language);
    // In a task of its own, because browsers take long to load a locale.
    await new Promise((resolve) => setTimeout(resolve));
    createIntl(configOf(language));
    return language;
  } catch {
    return DEFAULT_LANGUAGE;
  }
}

/** Code that says such texts, with them. */
export async function withLaterTexts<Code>(load: () => Promise<Code>, part?: Part): Promise<Code> {
  const [code] = await Promise.all([load(), loadLaterTexts(part)]);
  return code;
}

const LanguageContext = createContext<{ language: Language; choose: (next: Language) => Promise<void> }>({
  language: DEFAULT_LANGUAGE,
  choose: async () => {},
});

export function LanguageProvider({ initial, children }: { initial: Language; children: ReactNode }) {
  const [language, setLanguage] = useState(initial);
  const choose = useCallback(async (next: Language) => {
    await loadLanguage(next);
    store(STORAGE_KEYS.language, next);
    document.documentElement.lang = LANGUAGES[next].locale;
    setLanguage(next);
  }, []);
  useEffect(
    () =>
      watchOtherTabs(STORAGE_KEYS.language, (next) => {
        // Without its texts this tab keeps its language.
        choose(languageFrom(next)).catch(() => {});
      }),
    [choose],
  );
  const value = useMemo(() => ({ language, choose }), [language, choose]);
  return (
    <LanguageContext value={value}>
      <IntlProvider {...configOf(language)}>{children}</IntlProvider>
    </LanguageContext>
  );
}

/** Renders its children in a language that is loaded, whatever the user's: texts, numbers and dates. */
export function InLanguage({ language, children }: { language: Language; children: ReactNode }) {
  return <IntlProvider {...configOf(language)}>{children}</IntlProvider>;
}

export const useLanguage = () => useContext(LanguageContext);

export type Translate = (id: MessageId, values?: Values) => string;

/** Texts of a language that is loaded, whatever the user's. */
export const textsIn =
  (language: Language): Translate =>
  (id, values) =>
    say(createIntl(configOf(language)), id, values);

/** A text in the language of the page, for what is outside the app: a demo wallet's window. */
export const inPageLanguage: Translate = (id, values) => say(createIntl(configOf(pageLanguage())), id, values);

export const pageLanguage = (): Language =>
  LANGUAGE_NAMES.find((one) => LANGUAGES[one].locale === document.documentElement.lang) ?? DEFAULT_LANGUAGE;

export function useText(): Translate {
  const intl = useIntl();
  return useCallback((id, values) => say(intl, id, values), [intl]);
}

/** Only a message with parts is compiled by the build; the library would try to parse the plain ones, and fail. */
function say(intl: IntlShape, id: MessageId, values?: Values): string {
  const message = intl.messages[id];
  return typeof message === "string" ? message : intl.formatMessage({ id }, values);
}
