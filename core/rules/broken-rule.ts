import type { z } from "zod";
import { type BrokenRule, LIMITS, type LimitRule, limit, must, type PlainRule, SENTENCES } from "./field-rules.ts";

/** The rule that an issue of a schema says is broken. docs/product.md#field-rules */
export function ruleOf(outer: z.core.$ZodIssue): BrokenRule {
  const issue = innermost(outer);
  switch (issue.code) {
    case "unrecognized_keys":
      return { rule: "unknown" };
    case "invalid_type":
      if (issue.message.includes("received undefined")) return { rule: "missing" };
      return plainRule(issue.message) ?? { rule: BY_TYPE[issue.expected] ?? "other" };
    case "too_big":
      // A pattern's own rule, where the text is too long for it.
      return (
        plainRule(issue.message) ?? {
          rule: issue.origin === "string" ? "max_length" : "max",
          params: { max: Number(issue.maximum) },
        }
      );
    case "invalid_value":
      return plainRule(issue.message) ?? { rule: "one_of", params: { values: issue.values.map(String) } };
    case "custom":
      return limitRule(issue.params) ?? plainRule(issue.message) ?? { rule: "other" };
    default:
      return plainRule(issue.message) ?? { rule: "other" };
  }
}

/** What a value of another type should have been. */
const BY_TYPE: Readonly<Record<string, PlainRule>> = {
  ...{ string: "text", boolean: "flag", array: "list", object: "object", record: "object" },
  ...{ number: "finite", int: "whole" },
};

/**
 * What an issue says, after the field's name: never Zod's own words, which name its types and patterns. A rule of one
 * schema alone is in that schema's words.
 */
export function sentenceOf(issue: z.core.$ZodIssue): string {
  const { rule, params: { max = "", values = [] } = {} } = ruleOf(issue);
  if (rule in SENTENCES) return must(rule as PlainRule);
  if (rule in LIMITS) return limit(rule as LimitRule, max);
  if (rule === "one_of") return `must be ${values.length > 1 ? "one of " : ""}${values.join(", ")}`;
  return innermost(issue).message;
}

/** What Zod says of a value of several forms whose schema has no words of its own. */
const OF_NO_FORM = "Invalid input";

/** Of a value that may also be empty, what its other form lacks; of forms with a sentence for all of them, that one. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union" || issue.message !== OF_NO_FORM) return issue;
  const last = issue.errors.at(-1)?.[0];
  return last ? innermost(last) : issue;
}

/** Schemas name a rule without figures by its sentence, the same constant. */
function plainRule(message: string): BrokenRule | undefined {
  const found = Object.entries(SENTENCES).find(([, sentence]) => sentence === message)?.[0];
  return found === undefined ? undefined : { rule: found as PlainRule };
}

function limitRule(params: Record<string, unknown> | undefined): BrokenRule | undefined {
  const { rule, max } = params ?? {};
  const known = Object.keys(LIMITS).find((one) => one === rule);
  return known === undefined ? undefined : { rule: known as LimitRule, params: { max: max as number | string } };
}
