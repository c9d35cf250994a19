import { createContext, type ReactNode, useContext, useState } from "react";
import { LANGUAGE_NAMES, LANGUAGES, type Language, languageFrom } from "../../core/rules/languages.ts";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";
import { InLanguage, loadLanguage } from "../i18n/language.tsx";
import { Field } from "../ui/field.tsx";
import { toast } from "../ui/toast.ts";
import style from "./list/list-toolbar.module.css";
import { addTexts, type PanelTexts, panelLanguage, speak, t } from "./texts.ts";

/** A second language of the panel is one file. Portuguese comes with the panel; each other is loaded when it is chosen. */
const languages = import.meta.glob<PanelTexts>("../../core/rules/languages/panel/*.json", { import: "default" });
/** What the overview does not say comes with the first other view (`PANEL_FIRST` in `vite.config.ts`). */
const others = import.meta.glob<PanelTexts>("../../core/rules/languages/panel/*.json", {
  query: "?others",
  import: "default",
});

const fileOf = (language: Language) => `../../core/rules/languages/panel/${language}.json`;
let allTexts: Promise<void> | undefined;

async function load(language: Language): Promise<void> {
  const [texts, more] = await Promise.all([
    languages[fileOf(language)]?.(),
    allTexts && others[fileOf(language)]?.(),
    loadLanguage(language),
  ]);
  if (texts) speak(language, { ...texts, ...more });
}

async function loadOthers(): Promise<void> {
  const language = panelLanguage();
  const more = await others[fileOf(language)]?.();
  if (more && language === panelLanguage()) addTexts(more);
}

/** A view of the panel, with all texts. */
export async function withAllTexts<Code>(loadView: () => Promise<Code>): Promise<Code> {
  allTexts ??= loadOthers();
  try {
    const [view] = await Promise.all([loadView(), allTexts]);
    return view;
  } catch (error) {
    // Asked for again with the view.
    allTexts = undefined;
    throw error;
  }
}

/** The language that was chosen for the panel; Portuguese until then, whatever the site's. docs/product.md#admin-check */
export const restorePanelLanguage = (): Promise<void> =>
  load(languageFrom(readStored(STORAGE_KEYS.panelLanguage))).catch(() => undefined);

const ChooseContext = createContext<(language: Language) => Promise<void>>(async () => undefined);

/** Renders the panel anew when another language is chosen: its texts are said while it renders. */
export function InPanelLanguage({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(panelLanguage);
  const choose = async (next: Language) => {
    await load(next);
    store(STORAGE_KEYS.panelLanguage, next);
    setLanguage(next);
  };
  return (
    <ChooseContext value={choose}>
      <InLanguage key={language} language={language}>
        {children}
      </InLanguage>
    </ChooseContext>
  );
}

export function LanguageChoice() {
  const choose = useContext(ChooseContext);
  return (
    <Field label={t("settings.language")} className={style.month}>
      {(control) => (
        <select
          {...control}
          value={panelLanguage()}
          onChange={({ target }) =>
            choose(languageFrom(target.value)).catch(() =>
              toast.error(t("settings.language.failed"), { id: "panel-language" }),
            )
          }
        >
          {LANGUAGE_NAMES.map((one) => (
            <option key={one} value={one} lang={LANGUAGES[one].locale}>
              {LANGUAGES[one].name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
