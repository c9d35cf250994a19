import { FIELD_WORDS } from "../words.ts";

const LINES: readonly (readonly [RegExp, string])[] = [
  [/^\+ store (.*), named on the chain by the api$/, "+ loja $1"],
  [/^([+~]) store (.*)$/, "$1 loja $2"],
  [/^([+~]) fan token (.*)$/, "$1 fan token $2"],
  [/^([+~]) (.*)$/, "$1 categoria $2"],
];

const VALUES: Record<string, string> = { true: "sim", false: "não", null: "vazio" };

/** A line of a dry run (`catalogue/changes.ts`), in Portuguese. */
export function changeSentence(line: string): string {
  const found = LINES.find(([pattern]) => pattern.test(line));
  return (found ? line.replace(found[0], found[1]) : line)
    .replace(/\b(\w+) → (true|false|null)?\b/g, (_, field: string, value?: string) => {
      const name = FIELD_WORDS[field] ?? field;
      return `${name} → ${value === undefined ? "" : VALUES[value]}`;
    })
    .replace(/\b(\d+)\.(\d+%)/g, "$1,$2");
}
