import { createIntl, createIntlCache, type IntlShape } from "react-intl";
import pt from "../../core/rules/languages/panel/pt.json" with { type: "json" };
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from "../../core/rules/languages.ts";
import { SAO_PAULO } from "../../core/rules/sao-paulo-time.ts";
import { numeric } from "../i18n/numeric.ts";

/** A text of the panel: a line of each file in `core/rules/languages/panel/`. */
export type TextId = keyof typeof pt;
/** What has a text in a family: "held" for `purchase.state.held`. */
export type CodeOf<Family extends string> = TextId extends infer Id
  ? Id extends `${Family}.${infer Code}`
    ? Code
    : never
  : never;
export type PanelTexts = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, string | number>>;

type Speaker = { language: Language; texts: PanelTexts; intl: IntlShape };

const speakerOf = (language: Language, texts: PanelTexts): Speaker => ({
  language,
  texts,
  intl: createIntl(
    { locale: LANGUAGES[language].locale, messages: texts as Record<string, string> },
    createIntlCache(),
  ),
});

let speaker = speakerOf(DEFAULT_LANGUAGE, pt);

/** From now on the panel speaks this language: whoever calls it renders the panel anew. docs/product.md#language */
export function speak(language: Language, texts: PanelTexts): void {
  speaker = speakerOf(language, texts);
}

/** More texts of the same language. */
export const addTexts = (texts: PanelTexts): void => speak(speaker.language, { ...speaker.texts, ...texts });

export const panelLanguage = (): Language => speaker.language;
export const panelLocale = (): string => LANGUAGES[speaker.language].locale;

/** A text of the panel in its language. Called while rendering: a text kept from before would stay in its language. */
export function t(id: TextId, values?: Values): string {
  const text = speaker.texts[id];
  // What the build compiled is no string; a plain text needs no formatting.
  return typeof text === "string" && !/[{'<]/.test(text)
    ? text
    : speaker.intl.formatMessage({ id: id as never }, values);
}

/** The text of a word that a server said; undefined for one that this build does not know. */
export function textOf<Family extends string>(
  family: Family,
  code: string | null | undefined,
  values?: Values,
): string | undefined {
  const id = `${family}.${code}`;
  return Object.hasOwn(speaker.texts, id) ? t(id as TextId, values) : undefined;
}

/** The pieces of a text with elements in it. */
export const piecesOf = (id: TextId, values: Parameters<IntlShape["formatMessage"]>[1]): unknown =>
  speaker.intl.formatMessage({ id: id as never }, values);

/** "camisas, bolas e meias", or "ou" for a disjunction. */
export const listText = (texts: readonly string[], type: Intl.ListFormatType = "conjunction"): string =>
  new Intl.ListFormat(panelLocale(), { type }).format(texts);

/** A moment in São Paulo: `29 de nov. de 2026, 23:59`. */
export const saoPauloMoment = (iso: string): string =>
  new Intl.DateTimeFormat(panelLocale(), { timeZone: SAO_PAULO, dateStyle: "medium", timeStyle: "short" }).format(
    new Date(iso),
  );

/** `24 de nov. de 2026, 00:00 a 29 de nov. de 2026, 23:59 (São Paulo)` */
export const saoPauloPeriod = (from: string, to: string): string =>
  t("span", { from: saoPauloMoment(from), to: saoPauloMoment(to) });

/** A decimal text with each of its digits, as the panel's language writes it. */
export const decimalText = (decimal: string, fractionDigits?: number): string =>
  new Intl.NumberFormat(
    panelLocale(),
    fractionDigits === undefined
      ? { maximumFractionDigits: 18 }
      : { minimumFractionDigits: fractionDigits, maximumFractionDigits: fractionDigits },
  ).format(numeric(decimal));
