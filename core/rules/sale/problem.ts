/** What can be wrong with a network's report. */
export const PROBLEM_CODES = [
  "not_object",
  "missing",
  "odd",
  "unread",
  "negative",
  "negative_part",
  "parts_exceed",
  "tracked_stays",
  "unknown_status",
  "said",
] as const;
export const PROBLEM_FIGURES = ["field", "value", "before", "brl"] as const;
/** A field is named as its network does, and a value is as its network sent it. */
export type ReportProblem = { code: (typeof PROBLEM_CODES)[number] } & {
  [Figure in (typeof PROBLEM_FIGURES)[number]]?: string;
};

/** The panel speaks Portuguese; operators read English in the database. */
export type HoldLanguage = "pt" | "en";

const PROBLEM_WORDS: Record<ReportProblem["code"], Record<HoldLanguage, (problem: ReportProblem) => string>> = {
  not_object: {
    en: ({ field }) => `${field || "the row"} is not an object`,
    pt: ({ field }) => `${field || "a linha"} não tem a forma combinada`,
  },
  missing: { en: ({ field }) => `${field} is missing`, pt: ({ field }) => `falta ${field}` },
  odd: { en: ({ field, value }) => `${field} is ${value}`, pt: ({ field, value }) => `${field} veio como ${value}` },
  unread: { en: () => "an amount cannot be read", pt: () => "um dos valores não pôde ser lido" },
  negative: { en: () => "the amount is negative", pt: () => "o valor é negativo" },
  negative_part: { en: () => "a part is negative", pt: () => "uma das partes é negativa" },
  parts_exceed: {
    en: () => "the parts are more than the whole",
    pt: () => "as partes somam mais que o total",
  },
  tracked_stays: {
    en: ({ value, before, brl }) => `${value} for ${before} beside an unchanged ${brl} BRL`,
    pt: ({ value, before, brl }) => `${value} por ${before} com os mesmos ${brl} reais`,
  },
  unknown_status: { en: () => "the status is not known", pt: () => "a situação não é conhecida" },
  /** Of an earlier version, which kept a sentence. */
  said: { en: ({ value = "" }) => value, pt: ({ value = "" }) => value },
};

export function sayProblems(problems: readonly ReportProblem[], language: HoldLanguage): string {
  return problems.map((problem) => PROBLEM_WORDS[problem.code][language](problem)).join("; ");
}
