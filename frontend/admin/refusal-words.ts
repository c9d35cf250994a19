import { CATALOGUE_FILE_BYTES, LOGO_BYTES, LOGO_SIDE_PIXELS } from "../../core/rules/uploads.ts";
import { ApiError } from "../api/http.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { Translate } from "../i18n/language.tsx";
import { invalidField } from "./invalid-field.ts";
import { fileProblems } from "./stores/file-problems.ts";
import { t, textOf } from "./texts.ts";

const SIZES = { file: CATALOGUE_FILE_BYTES / 1_024 ** 2, logo: LOGO_BYTES / 1_024, side: LOGO_SIDE_PIXELS };

/** Why the server rejected an admin's call; undefined if the reason is unknown. `shop` says the shop's own texts. */
export function sayRefusal(error: unknown, shop: Translate): string | undefined {
  if (!(error instanceof ApiError)) return reasonOf(error, shop);
  if (error.problems) return fileProblems(error.problems);
  const known = textOf("refusal", error.code, SIZES);
  if (known) return known;
  if (error.code === "DECISION_REFUSED") return textOf("decisionRefusal", error.why) ?? t("decisionRefused");
  if (error.code === "INVALID_REQUEST" && error.field)
    return invalidField(error.field, error.broken ?? { rule: "other" });
  if (error.isServersWord) return reasonOf(error, shop);
  return error.status >= 400 ? t("refusalStatus", { status: error.status }) : undefined;
}
