import { LANGUAGE_NAMES, LANGUAGES, type Language } from "./languages.ts";

type Unit = { seconds: number; name: string; short: readonly string[] };

const SECOND: Unit = { seconds: 1, name: "second", short: ["s", "seg", "sec"] };
const UNITS: readonly Unit[] = [
  { seconds: 86_400, name: "day", short: ["d"] },
  { seconds: 3_600, name: "hour", short: ["h"] },
  { seconds: 60, name: "minute", short: ["min", "m"] },
  SECOND,
];
const WEEK: Unit = { seconds: 604_800, name: "week", short: ["sem"] };

const said = (count: number, { name }: Unit, language: Language): string =>
  new Intl.NumberFormat(LANGUAGES[language].locale, {
    style: "unit",
    unit: name,
    unitDisplay: "long",
    useGrouping: false,
  }).format(count);

/** An exact number of seconds in words: "3 dias", "1 dia e 12 horas". */
export function durationText(seconds: number, language: Language): string {
  let rest = seconds;
  const parts = UNITS.flatMap((unit) => {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    return count === 0 ? [] : [said(count, unit, language)];
  });
  // The plural, where Unicode's data would say "0 segundo".
  if (parts.length === 0) return said(2, SECOND, language).replace("2", "0");
  return new Intl.ListFormat(LANGUAGES[language].locale, { type: "conjunction" }).format(parts);
}

const PART = /^(\d{1,9}(?:[.,]\d{1,4})?)\s*(\p{L}+)?/u;
const BETWEEN = /^(?:[\s,;]|e(?!\p{L})|and(?!\p{L}))+/u;

/** Whole seconds from "3 dias", "1 dia e 12 horas", "36h", or a bare number of seconds; undefined if it is none of them. */
export function readDuration(text: string): number | undefined {
  let rest = text.trim().toLowerCase();
  let total = 0;
  let parts = 0;
  while (rest !== "") {
    const [part, number = "", word] = PART.exec(rest) ?? [];
    if (part === undefined) return undefined;
    rest = rest.slice(part.length).replace(BETWEEN, "");
    parts += 1;
    if (word === undefined && (parts > 1 || rest !== "")) return undefined;
    const unit = word === undefined ? 1 : secondsOf(word);
    if (unit === undefined) return undefined;
    total += Number(number.replace(",", ".")) * unit;
  }
  return parts > 0 && Number.isInteger(total) ? total : undefined;
}

function secondsOf(word: string): number | undefined {
  return [...UNITS, WEEK].find((unit) => unit.short.includes(word) || wordsOf(unit).includes(word))?.seconds;
}

/** Singular and plural in every language: "dia", "dias", "day", "days". */
const wordsOf = (unit: Unit): string[] =>
  LANGUAGE_NAMES.flatMap((language) => [1, 2].map((count) => said(count, unit, language).replace(/^\d\s*/, "")));
