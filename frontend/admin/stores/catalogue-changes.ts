import type { CatalogueChange } from "../shapes.ts";
import { panelLocale, saoPauloPeriod, t, textOf } from "../texts.ts";
import { fieldWord, newWord } from "../words.ts";

/** A change that an import would make, in the panel's words. */
export function changeSentence(change: CatalogueChange): string {
  const sentence = bareSentence(change);
  return change.waits ? t("change.waits", { change: sentence }) : sentence;
}

function bareSentence({ kind, what: older, what_detail, name: own, of, fields }: CatalogueChange): string {
  const code: string = what_detail ?? older;
  const name = of === undefined ? own : t("change.of", { of, name: own });
  const what = textOf("change.what", code, { name }) ?? `${newWord(code)} ${name}`;
  const [first] = fields;
  if (code === "boost") {
    const [bps, starts, ends] = fields.map(({ to }) => to ?? "");
    return t("change.boost", { what, percent: percent(bps ?? ""), span: saoPauloPeriod(starts ?? "", ends ?? "") });
  }
  if (kind !== "create") return t("change.update", { what, fields: fields.map(fieldSentence).join(", ") });
  return first?.field === "cashback_percent"
    ? t("change.createPercent", { what, percent: percent(first.to) })
    : t("change.create", { what, detail: first?.to ?? "" });
}

function fieldSentence({ field, from, to }: CatalogueChange["fields"][number]): string {
  if (field === "cashback_percent") return t("change.percent", { from: percent(from ?? null), to: percent(to) });
  const value = to === null ? t("change.empty") : to === "true" ? t("yes") : to === "false" ? t("no") : to;
  return t("change.field", { field: fieldWord(field) ?? field, value });
}

const percent = (text: string | null): string =>
  `${new Intl.NumberFormat(panelLocale(), { maximumFractionDigits: 2 }).format(Number(text))}%`;
