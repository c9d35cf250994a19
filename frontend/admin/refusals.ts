import { ApiError } from "../api/http.ts";
import { reasonOf } from "../api/reason-of.ts";
import { inPortuguese } from "../i18n/language.tsx";

const LABELS: Record<string, string> = {
  name: "Nome",
  country: "País",
  club: "Clube",
  category: "Categoria",
  description: "Descrição",
  logo: "URL do logo",
  affiliate_link: "Link de afiliado",
  cashback_percent: "Percentual de cashback",
  slug: "Slug",
  image: "URL da imagem",
  symbol: "Símbolo",
  contract: "Contrato",
};

/** The rules of `domain/api/catalogue.ts` as the api words them. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/must not be empty|is missing/, "não pode ficar vazio"],
  [/must be at most (\d+) characters/, "aceita até $1 caracteres"],
  [/must be at most (\d+) bytes/, "aceita até $1 bytes (letras com acento contam por dois)"],
  [/control characters/, "não aceita caracteres de controle"],
  [/lower-case letters, digits and hyphens/, "aceita só letras minúsculas, números e hífens"],
  [/contract address/, "precisa ser um endereço de contrato"],
  [/https/, "precisa começar com https://"],
];

/** Why the server refused an admin's write, in Portuguese; undefined if the reason is unknown. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return reasonOf(error, inPortuguese);
  if (error.code === "INVALID_REQUEST" && error.field) return invalidField(error.field, error.message);
  if (error.isServersWord) return reasonOf(error, inPortuguese);
  return error.status >= 400 ? `O servidor respondeu com o erro ${error.status}.` : undefined;
}

function invalidField(field: string, message: string): string {
  for (const [pattern, rule] of RULES) {
    const found = pattern.exec(message);
    if (found) return `${LABELS[field] ?? field} ${rule.replace("$1", found[1] ?? "")}.`;
  }
  return `${LABELS[field] ?? field}: valor inválido.`;
}
