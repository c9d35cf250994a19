import { z } from "zod";
import { limit, must } from "../field-rules.ts";
import { shortText } from "./short-text.ts";

const line = shortText(100, limit("max_length", 100)).regex(/^[\x20-\x7e]*$/, must("control_characters"));

/**
 * A fault that the web app met: an `answer` that its schema refuses, with the call and the field, or a `part` of a page
 * that could not be rendered, with the kind of error. No texts of errors: they may quote what a user sees.
 */
export const faultRequestSchema = z.strictObject({
  kind: z.enum(["answer", "part"]),
  /** The path pattern of the page. */
  page: line,
  at: line,
  detail: line,
});
