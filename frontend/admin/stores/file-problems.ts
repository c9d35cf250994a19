import type { FileProblem } from "../../../core/rules/api/admin-catalogue.ts";
import { invalidField } from "../invalid-field.ts";
import { t } from "../texts.ts";
import { capitalized } from "../words.ts";

/** The problems of an import that was refused, line by line: the codes of `core/catalogue/catalogue-file.ts`. */
export function fileProblems(problems: readonly FileProblem[]): string {
  return problems.map(sentence).join("\n");
}

function sentence({ problem, place, field = "", broken = { rule: "other" }, values = [] }: FileProblem): string {
  const [a = "none", b = "", c = ""] = values.map(String);
  const words = problem === "field" ? invalidField(field, broken) : t(`fileProblem.${problem}`, { a, b, c });
  return place === undefined ? capitalized(words) : t("fileProblemIn", { place, problem: words });
}
