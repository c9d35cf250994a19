import type { ErrorCode } from "../../core/rules/api/error-codes.ts";
import type { DecisionRefusal } from "../../core/rules/sale/decision-refusals.ts";
import { CATALOGUE_FILE_BYTES, LOGO_BYTES, LOGO_SIDE_PIXELS } from "../../core/rules/uploads.ts";
import { ApiError } from "../api/http.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { Translate } from "../i18n/language.tsx";
import { invalidField } from "./invalid-field.ts";
import { fileProblems } from "./stores/file-problems.ts";

const LOGO_KB = LOGO_BYTES / 1_024;

/** The api's errors for admin calls, by code. */
const BY_CODE: Readonly<Record<string, string>> = {
  ASSETS_UNAVAILABLE: "O lugar onde as imagens ficam não está respondendo agora. Tente de novo em instantes.",
  OWN_REQUEST: "Outra pessoa precisa decidir sobre o seu pedido.",
  DECIDED: "Outra pessoa já decidiu este pedido: a lista mostra como ficou.",
  REQUESTS_CHANGED: "Os pedidos mudaram desde que você os leu. Confira a soma, que já é a de agora, e decida.",
  LAPSED: "O que foi pedido mudou desde então: o pedido não vale mais.",
  NOTHING_PAYABLE: "Não há nada a pagar a este comprador agora.",
  WRONG_AMOUNT: "O valor a pagar mudou desde o pedido: peça de novo com o valor de agora.",
  PAYOUTS_PAUSED: "Os pagamentos estão pausados. Retome-os em Pagamentos.",
  BODY_TOO_LARGE: `O arquivo é grande demais: cabem até ${CATALOGUE_FILE_BYTES / 1_024 ** 2} MB, e até ${LOGO_KB} kB numa imagem.`,
  CONTRACT_TAKEN: "Outro fan token já tem este contrato.",
  NOT_A_PICTURE: `O arquivo precisa ser uma imagem PNG, JPEG ou WebP, de até ${LOGO_KB} kB e ${LOGO_SIDE_PIXELS.toLocaleString("pt-BR")} pixels de lado.`,
  HELD: "Esta compra já está retida.",
  NOT_HELD: "Esta compra não está retida, nem teve o pagamento recusado.",
  SALE_CHANGED:
    "A rede mudou esta venda depois que você a abriu. Confira os valores, que já são os de agora, e decida.",
  OWN_SALE: "Isto decidiria um pagamento à sua própria carteira: outra pessoa precisa fazer.",
  STORE_NAME_TAKEN: "Já existe uma loja com este nome.",
  BOOST_TOO_HIGH: "O percentual passa do máximo que a loja permite a um cashback turbinado.",
  BOOST_TOO_LOW: "A loja já paga esse percentual, ou mais: o cashback turbinado precisa ser maior.",
  BOOST_STATE: "Este cashback turbinado mudou desde que você o abriu. A lista mostra como está.",
  PERCENT_UNAGREED:
    "Uma loja que informa as próprias vendas só paga tanto com o acordo de outra pessoa: baixe o percentual, mude a rede e peça o aumento.",
  GROUP_TAKEN: "Outra categoria da loja já tem este grupo de comissão.",
  NOT_STUCK: "Esta transação não está mais parada: a lista mostra como está.",
  OVER: "Não há mais o que fazer nesta compra.",
  PAID: "O pagamento desta compra já saiu: não dá mais para parar.",
  NOT_A_TOKEN: "A rede não tem um token neste endereço.",
  SIGNATURE_NEEDED: "Isto pede uma assinatura da carteira agora.",
  SIGN_IN_AGAIN: "Seu login tem mais de 15 minutos. Entre de novo para continuar.",
} satisfies Partial<Record<ErrorCode, string>>;

const DECISIONS: Readonly<Record<DecisionRefusal, string>> = {
  not_held: "Esta venda não está mais retida.",
  no_rate: "Não há cotação para a moeda desta venda: configure FX_RATES ou FX_URL, ou recuse a venda.",
  no_amount: "Um dos valores desta venda não pôde ser lido: espere o próximo aviso da rede, ou recuse a venda.",
  other_store: "Esta venda é de outra loja: ligue-a a uma visita a ela, ou à própria visita.",
  other_ticket: "Um ingresso desta venda é de outra carteira ou loja: ligue-a a uma visita dela.",
  declined: "Esta venda já foi recusada.",
  has_buyer: "Esta venda já tem um comprador.",
  paid: "Um pagamento desta venda já saiu: ela fica com o comprador e a loja dele.",
  no_click: "Esta visita não existe. Confira o código.",
  no_sale: "Esta venda não existe. Confira o número.",
  of_another_buyer: "Esta venda já é de outro comprador.",
  claim_decided: "Esta reclamação já foi respondida.",
};

/** Why the server rejected an admin's call, in Portuguese; undefined if the reason is unknown. `t` is Portuguese too. */
export function sayRefusal(error: unknown, t: Translate): string | undefined {
  if (!(error instanceof ApiError)) return reasonOf(error, t);
  if (error.problems) return fileProblems(error.problems);
  const known = BY_CODE[error.code ?? ""] ?? decisionOf(error);
  if (known) return known;
  if (error.code === "INVALID_REQUEST" && error.field)
    return invalidField(error.field, error.broken ?? { rule: "other" });
  if (error.isServersWord) return reasonOf(error, t);
  return error.status >= 400 ? `O servidor respondeu com o erro ${error.status}.` : undefined;
}

function decisionOf({ code, why = "" }: ApiError): string | undefined {
  if (code !== "DECISION_REFUSED") return undefined;
  const known = Object.entries(DECISIONS).find(([refusal]) => refusal === why)?.[1];
  return known ?? "Esta decisão não cabe mais aqui. Recarregue a página.";
}
