import { capitalized, FIELD_WORDS } from "./words.ts";

/** The labels of forms. */
const LABELS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(FIELD_WORDS).map(([field, words]) => [field, capitalized(words)])),
  account: "Conta na rede",
  logo: "URL do logo",
  image: "URL da imagem",
};

/** The rules of `domain/api/` as the api words them. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/must not be empty|is missing|received undefined/, "não pode ficar vazio"],
  [/must be at most (\d+) characters/, "aceita até $1 caracteres"],
  [/must be at most ([\d.]+)$/, "pode ser no máximo $1"],
  [/must have at most (\d+) decimals/, "aceita até $1 casas decimais"],
  [/must be more than 0/, "precisa ser maior que zero"],
  [/must be a percent/, "precisa ser um percentual como 5,75"],
  [/must be a (?:finite|non-negative decimal) number/, "precisa ser um número"],
  [/must be a day such as (.*)/, "precisa ser um dia como $1"],
  [/must be a month such as (.*)/, "precisa ser um mês como $1"],
  [/must be csv or json/, "precisa ser csv ou json"],
  [/must be one of/, "precisa ser um dos valores da lista"],
  [/wallet address/, "precisa ser um endereço de carteira"],
  [/whole number|must not be negative/, "precisa ser um número inteiro, sem sinal"],
  [/1 to 32 lower-case letters/, "aceita até 32 letras minúsculas, números e hífens"],
  [/id of a click/, "precisa ser o código de um clique"],
  [/invisible characters/, "não aceita caracteres invisíveis nem acentos empilhados"],
  [/must be at most (\d+) bytes/, "aceita até $1 bytes (letras com acento contam por dois)"],
  [/control characters/, "não aceita caracteres de controle"],
  [/lower-case letters, digits and hyphens/, "aceita só letras minúsculas, números e hífens"],
  [/contract address/, "precisa ser um endereço de contrato"],
  [/https/, "precisa começar com https://"],
];

/** What is wrong with a field, in the panel's words. */
export function invalidField(field: string, message: string): string {
  for (const [pattern, rule] of RULES) {
    const found = pattern.exec(message);
    if (found) return `${LABELS[field] ?? field} ${rule.replace("$1", found[1] ?? "")}.`;
  }
  return `${LABELS[field] ?? field}: valor inválido.`;
}

export const isField = (name: string): boolean => Object.hasOwn(LABELS, name);
