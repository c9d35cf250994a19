import { ownValue } from "../../../core/rules/records.ts";
import { saoPauloSpan } from "../../../core/rules/sao-paulo-time.ts";
import type { CatalogueChange } from "../shapes.ts";
import { FIELD_WORDS, newWord } from "../words.ts";

const KINDS = { store: "loja", cashback: "categoria", boost: "cashback turbinado", fan_token: "fan token" } as const;
const VALUES: Record<string, string> = { true: "sim", false: "não" };

/** A change that an import would make, in Portuguese. */
export function changeSentence(change: CatalogueChange): string {
  return `${bareSentence(change)}${change.waits ? " (espera uma segunda pessoa)" : ""}`;
}

function bareSentence({ kind, what, name, of, fields }: CatalogueChange): string {
  const subject = `${ownValue(KINDS, what) ?? newWord(what)} ${of === undefined ? name : `${of}, ${name}`}`;
  if (what === "boost") {
    const [bps, starts, ends] = fields.map(({ to }) => to ?? "");
    return `+ ${subject}: ${percent(bps ?? "")}, de ${saoPauloSpan(starts ?? "", ends ?? "")}`;
  }
  if (kind === "create") {
    const [first] = fields;
    const detail = first?.field === "cashback_percent" ? `: ${percent(first.to)}` : ` (${first?.to})`;
    return `+ ${subject}${detail}`;
  }
  return `~ ${subject}: ${fields.map(fieldSentence).join(", ")}`;
}

function fieldSentence({ field, from, to }: CatalogueChange["fields"][number]): string {
  if (field === "cashback_percent") return `de ${percent(from ?? null)} para ${percent(to)}`;
  return `${FIELD_WORDS[field] ?? field}: ${to === null ? "vazio" : (VALUES[to] ?? to)}`;
}

const percent = (text: string | null): string => `${text?.replace(".", ",")}%`;
