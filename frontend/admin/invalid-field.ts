import { durationText } from "../../core/rules/duration.ts";
import type { BrokenRule, FieldRule } from "../../core/rules/field-rules.ts";
import { type CodeOf, panelLanguage, t, textOf } from "./texts.ts";
import { capitalized, fieldWord } from "./words.ts";

/** The label of a field in forms. */
export const labelOf = (field: string): string => textOf("fieldLabel", field) ?? capitalized(fieldWord(field) ?? field);

/** What is wrong with a field, in the panel's words. */
export function invalidField(field: string, { rule, params = {} }: BrokenRule): string {
  const { max = 0, values = [] } = params;
  const said = { field: labelOf(field), max: String(max), values: values.join(", ") };
  // Fields in seconds are typed and shown as durations.
  const duration = field.endsWith("_seconds")
    ? textOf("invalidDuration", rule, { ...said, max: durationText(Number(max), panelLanguage()) })
    : undefined;
  // A newer api may know a rule that this page does not.
  const known: string | undefined = textOf("invalid" satisfies EachHasText, rule, said);
  return duration ?? known ?? t("invalid.other", said);
}

type EachHasText = FieldRule extends CodeOf<"invalid"> ? "invalid" : never;
