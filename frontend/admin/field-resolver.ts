import { toNestErrors } from "@hookform/resolvers";
import type { FieldErrors, FieldValues, Resolver } from "react-hook-form";
import type { z } from "zod";
import { ruleOf } from "../../core/rules/broken-rule.ts";
import { invalidField } from "./invalid-field.ts";
import { t } from "./texts.ts";

/** A rule of a form alone, with its sentence, as an issue's options. */
export const says = (sentence: string) => ({ code: "custom", params: { sentence } }) as const;

/**
 * Holds a form of the panel to its schema, and keeps what was typed. Each fault has its own sentence, as the api's refusals
 * have.
 */
export const fieldResolver =
  <Fields extends FieldValues>(schema: z.ZodType): Resolver<Fields> =>
  (values, _context, options) => {
    const { error } = schema.safeParse(values);
    if (!error) return { values, errors: {} };
    const faults = error.issues.map((issue) => {
      const field = issue.path.join(".");
      const broken = ruleOf(issue);
      const own: unknown = issue.code === "custom" && issue.params?.sentence;
      if (typeof own === "string") return [field, { type: "form", message: own }] as const;
      const isEmpty = broken.rule === "missing" || broken.rule === "empty";
      return [
        field,
        { type: broken.rule, message: isEmpty ? t("invalid.required") : invalidField(field, broken) },
      ] as const;
    });
    // The first fault of a field is the one to say.
    const errors = Object.fromEntries(faults.toReversed()) as FieldErrors<Fields>;
    return { values: {}, errors: toNestErrors(errors, options) };
  };
