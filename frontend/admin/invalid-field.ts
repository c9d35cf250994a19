import { durationText } from "../../core/rules/duration.ts";
import type { BrokenRule, FieldRule, RuleParams } from "../../core/rules/field-rules.ts";
import { capitalized, FIELD_WORDS } from "./words.ts";

const LABELS: Record<string, string> = {
  account: "Conta na rede",
  logo: "URL do logo",
  image: "URL da imagem",
};

/** The label of a field in forms. */
export const labelOf = (field: string): string => LABELS[field] ?? capitalized(FIELD_WORDS[field] ?? field);

/** The rules of fields in the panel's words, after the field's label. */
const RULES: Record<FieldRule, string | ((params: RuleParams) => string)> = {
  missing: "não pode ficar vazio",
  empty: "não pode ficar vazio",
  number: "precisa ser um número, sem sinal",
  finite: "precisa ser um número",
  positive: "precisa ser maior que zero",
  whole: "precisa ser um número inteiro",
  not_negative: "não pode ser menor que zero",
  id: "precisa ser um número inteiro, maior que zero",
  percent: "precisa ser um percentual como 5,75",
  public_link: "precisa ser um endereço público da internet que começa com https://",
  key: "aceita até 32 letras minúsculas, números e hífens",
  domain: "aceita sites como loja.com.br, no máximo 20",
  slug: "aceita só letras minúsculas, números e hífens",
  control_characters: "não aceita caracteres de controle",
  hidden_characters: "não aceita caracteres invisíveis, que invertem o texto, nem acentos empilhados",
  team_words: "não aceita palavras que se passam pela equipe ou pelo sistema, como admin ou dono",
  contract: "precisa ser um endereço de contrato",
  wallet: "precisa ser um endereço de carteira",
  click: "precisa ser o código de uma visita",
  day: "precisa ser um dia como 2026-11-20",
  month: "precisa ser um mês como 2026-11",
  email: "precisa ser um e-mail",
  file_format: "precisa ser csv ou json",
  max_length: ({ max }) => `aceita até ${max} caracteres`,
  max_bytes: ({ max }) => `aceita até ${max} bytes (letras de alguns alfabetos contam por até quatro)`,
  max: ({ max }) => `pode ser no máximo ${max}`,
  decimals: ({ max }) => `aceita até ${max} casas decimais`,
  rows: ({ max }) => `precisa ser um número inteiro de 1 a ${max}`,
  one_of: ({ values = [] }) => `precisa ser um destes: ${values.join(", ")}`,
  unknown: "não é um campo daqui",
  other: "tem um valor inválido",
};

/** Fields in seconds are typed and shown as durations. */
const DURATIONS: Partial<Record<FieldRule, (params: RuleParams) => string>> = {
  whole: () => "precisa ser uma duração como 3 dias, 12 horas ou 30 minutos",
  max: ({ max }) => `pode ser no máximo ${durationText(Number(max), "pt")}`,
};

/** What is wrong with a field, in the panel's words. */
export function invalidField(field: string, { rule, params = {} }: BrokenRule): string {
  if (field.endsWith("_seconds") && rule in DURATIONS) return `${labelOf(field)} ${DURATIONS[rule]?.(params)}.`;
  // A newer api may know a rule that this page does not.
  const words = RULES[rule] ?? RULES.other;
  return `${labelOf(field)} ${typeof words === "string" ? words : words(params)}.`;
}
