import type { FileProblem } from "../../../core/rules/api/admin-catalogue.ts";
import { invalidField } from "../invalid-field.ts";

/** What is wrong with a catalogue file, by the codes of `core/catalogue/catalogue-file.ts`; `values` as there. */
const PROBLEMS: Record<Exclude<FileProblem["problem"], "field">, (...values: string[]) => string> = {
  unknown_type: (type) => `o tipo precisa ser store, cashback, boost ou fan_token, e não "${type}"`,
  unknown_field: (type, field) => `${type} não tem o campo ${field}`,
  no_store_name: () => "diga em store o nome da loja",
  no_store: (store) => `não existe a loja ${store}, nem aqui nem no cadastro`,
  twice: (what, line) => `${what} já está na linha ${line}`,
  group_taken: (group, category) => `o grupo ${group} já é da categoria ${category}`,
  second_default: (category) => `a loja só tem uma categoria padrão, e ${category} também é`,
  no_category: (store, category) => `a loja ${store} não tem a categoria ${category}`,
  boost_known: () => "um cashback turbinado com esse começo já existe, com outro percentual ou fim",
  boost_too_high: (most) => `um cashback turbinado vai até ${most}%`,
  percent_unagreed: (store, most) =>
    `a loja ${store} informa as próprias vendas: acima de ${most}%, outra pessoa precisa concordar antes`,
  boost_span: (field) =>
    field === "starts_at" ? "o começo não serve" : "o fim precisa vir depois do começo e de agora, em até um ano",
  contract_taken: (one, other, contract) => `os fan tokens ${one} e ${other} têm o mesmo contrato, ${contract}`,
  no_chain: () => "a rede Chiliz não está respondendo",
  not_json: () => "o arquivo não é JSON",
  not_rows: () => 'o arquivo precisa ser uma lista de linhas, cada uma com o seu "type"',
  not_csv: (line) => (line ? `o arquivo não é um CSV correto: veja a linha ${line}` : "o arquivo não é um CSV correto"),
  not_utf8: () => "uma letra com acento se perdeu; salve o arquivo de novo como CSV UTF-8",
};

/** The problems of an import that was refused, line by line, in Portuguese. */
export function fileProblems(problems: readonly FileProblem[]): string {
  return problems.map(sentence).join("\n");
}

function sentence({ problem, place, field = "", broken = { rule: "other" }, values = [] }: FileProblem): string {
  const words = problem === "field" ? invalidField(field, broken) : PROBLEMS[problem](...values);
  return place === undefined ? words.charAt(0).toUpperCase() + words.slice(1) : `Linha ${place}: ${words}`;
}
