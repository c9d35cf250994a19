import { ApiError } from "../api/http.ts";
import { reasonOf } from "../api/reason-of.ts";
import { inPortuguese } from "../i18n/language.tsx";
import { capitalized, FIELD_WORDS } from "./words.ts";

/** The labels of forms. */
const LABELS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(FIELD_WORDS).map(([field, words]) => [field, capitalized(words)])),
  logo: "URL do logo",
  image: "URL da imagem",
};

/** The api's errors for admin calls, by code. */
const BY_CODE: Record<string, string> = {
  ASSETS_UNAVAILABLE: "O lugar onde as imagens ficam não está respondendo agora. Tente de novo em instantes.",
  APPROVAL_NEEDED: "Este valor pede duas pessoas: outra pessoa aprova em Aprovações, e depois você conclui.",
  OWN_REQUEST: "Outra pessoa precisa decidir sobre o seu pedido.",
  DECIDED: "Este pedido já foi decidido. Recarregue a lista.",
  LAPSED: "Este pedido venceu: o pagamento precisa ser pedido de novo.",
  NOTHING_PAYABLE: "Não há nada a pagar a este comprador agora.",
  WRONG_AMOUNT: "O valor a pagar mudou desde o pedido: peça de novo com o valor de agora.",
  PAYOUTS_PAUSED: "Os pagamentos estão pausados. Retome-os em Pagamentos.",
  CONTRACT_TAKEN: "Outro fan token já tem este contrato.",
  NOT_A_PICTURE: "O arquivo precisa ser uma imagem PNG, JPEG ou WebP, de até 512 kB e 4.096 pixels de lado.",
  HELD: "Esta compra já está retida.",
  NOT_HELD: "Esta compra não está retida.",
  STORE_NAME_TAKEN: "Já existe uma loja com este nome.",
  GROUP_TAKEN: "Outra categoria da loja já tem este grupo de comissão.",
  NOT_STUCK: "Esta transação não está mais parada. Recarregue a lista.",
  OVER: "Não há mais o que fazer nesta compra.",
  PAID: "O pagamento desta compra já saiu: não dá mais para parar.",
  NOT_A_TOKEN: "A rede não tem um token neste endereço.",
  SIGN_IN_AGAIN: "Seu login tem mais de 15 minutos. Entre de novo para continuar.",
};

/** `affiliates/decisions.ts` */
const DECISIONS: readonly (readonly [RegExp, string])[] = [
  [/^This sale is not held/, "Esta venda não está mais retida."],
  [/exchange rate/, "Não há cotação para a moeda desta venda: configure FX_RATES ou FX_URL, ou recuse a venda."],
  [/^This sale was declined/, "Esta venda já foi recusada."],
  [/^This sale has its buyer/, "Esta venda já tem um comprador."],
  [/^There is no such click/, "Este clique não existe. Confira o código."],
  [/^There is no such sale/, "Esta venda não existe. Confira o número."],
  [/^This sale is another buyer's/, "Esta venda já é de outro comprador."],
  [/^This claim is/, "Esta reclamação já foi respondida."],
];

/** The rules of `domain/api/catalogue.ts` as the api words them. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/must not be empty|is missing|received undefined/, "não pode ficar vazio"],
  [/must be at most (\d+) characters/, "aceita até $1 caracteres"],
  [/must be at most (\d+)$/, "pode ser no máximo $1"],
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

/** Why the server rejected an admin's write, in Portuguese; undefined if the reason is unknown. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return reasonOf(error, inPortuguese);
  if (error.code === "CATALOGUE_FILE") return fileProblems(error.message);
  const known = BY_CODE[error.code ?? ""] ?? decisionOf(error);
  if (known) return known;
  if (error.code === "INVALID_REQUEST" && error.field) return invalidField(error.field, error.message);
  if (error.isServersWord) return reasonOf(error, inPortuguese);
  return error.status >= 400 ? `O servidor respondeu com o erro ${error.status}.` : undefined;
}

/** What is wrong with each row of a catalogue file. `catalogue/catalogue-file.ts` */
const FILE_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /^type must be store, cashback or fan_token, not "(.*)"$/,
    'o tipo precisa ser store, cashback ou fan_token, e não "$1"',
  ],
  [/^(\w+) is not a field of a (\w+)$/, "$2 não tem o campo $1"],
  [/^store must be the name/, "diga em store o nome da loja da categoria"],
  [/^(.+) stands twice, first at (?:line|row) (\d+)$/, "$1 já está na linha $2"],
  [/^There is no store (.+)$/, "não existe a loja $1"],
];

function fileProblems(message: string): string {
  return message
    .split("\n")
    .map((line) => {
      const [, place, problem = line] = /^(?:line|row) (\d+): (.*)$/.exec(line) ?? [];
      const words = fileProblem(problem);
      return place ? `Linha ${place}: ${words}` : words;
    })
    .join("\n");
}

function fileProblem(problem: string): string {
  const found = FILE_PROBLEMS.find(([pattern]) => pattern.test(problem));
  if (found) return problem.replace(found[0], found[1]);
  const [, field = "", rule = ""] = /^(\w+) (.*)$/.exec(problem) ?? [];
  return field in LABELS ? invalidField(field, rule) : problem;
}

function decisionOf({ code, message }: ApiError): string | undefined {
  return code === "DECISION_REFUSED" ? DECISIONS.find(([pattern]) => pattern.test(message))?.[1] : undefined;
}

function invalidField(field: string, message: string): string {
  for (const [pattern, rule] of RULES) {
    const found = pattern.exec(message);
    if (found) return `${LABELS[field] ?? field} ${rule.replace("$1", found[1] ?? "")}.`;
  }
  return `${LABELS[field] ?? field}: valor inválido.`;
}
