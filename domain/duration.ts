import { type Language, LOCALES } from "./languages.ts";

type Unit = {
  seconds: number;
  pt: readonly [one: string, many: string];
  en: readonly [one: string, many: string];
  short: readonly string[];
};

const UNITS: readonly Unit[] = [
  { seconds: 86_400, pt: ["dia", "dias"], en: ["day", "days"], short: ["d"] },
  { seconds: 3_600, pt: ["hora", "horas"], en: ["hour", "hours"], short: ["h"] },
  { seconds: 60, pt: ["minuto", "minutos"], en: ["minute", "minutes"], short: ["min", "m"] },
  { seconds: 1, pt: ["segundo", "segundos"], en: ["second", "seconds"], short: ["s", "seg", "sec"] },
];
const WEEK: Unit = { seconds: 604_800, pt: ["semana", "semanas"], en: ["week", "weeks"], short: ["sem"] };

/** An exact number of seconds in words: "3 dias", "1 dia e 12 horas". */
export function durationText(seconds: number, language: Language): string {
  let rest = seconds;
  const parts = UNITS.flatMap((unit) => {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    return count === 0 ? [] : [`${count} ${unit[language][count === 1 ? 0 : 1]}`];
  });
  if (parts.length === 0) return `0 ${UNITS.at(-1)?.[language][1]}`;
  return new Intl.ListFormat(LOCALES[language], { type: "conjunction" }).format(parts);
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
  return [...UNITS, WEEK].find(({ pt, en, short }) => [...pt, ...en, ...short].includes(word))?.seconds;
}
