import type { HoldFigures, HoldReason } from "./hold.ts";

/** The panel speaks Portuguese; operators read English in the database. */
export type HoldLanguage = "pt" | "en";
type Say = (figures: HoldFigures) => string;

/** Why a sale is held. */
const HOLD_WORDS: Record<HoldReason, Record<HoldLanguage, Say>> = {
  drift: {
    en: ({ detail }) => `The network's report is not understood${detail ? `: ${detail}` : ""}`,
    pt: ({ detail }) => `O aviso da rede não foi entendido${detail ? `: ${driftInPortuguese(detail)}` : ""}`,
  },
  no_rate: {
    en: ({ currency }) => `There is no exchange rate for ${currency ?? "the sale's currency"}`,
    pt: ({ currency }) => `Não há cotação para ${currency ?? "a moeda da venda"}`,
  },
  other_account: {
    en: () => "The click is of a store of another network or account",
    pt: () => "O clique é de uma loja de outra rede ou conta",
  },
  other_store: {
    en: ({ advertiser }) => `The network names another store than the click's${advertiser ? `: ${advertiser}` : ""}`,
    pt: ({ advertiser }) => `A rede indica outra loja, não a do clique${advertiser ? `: ${advertiser}` : ""}`,
  },
  buyer_changed: {
    en: () => "The network now names another buyer's click",
    pt: () => "A rede agora indica outro clique",
  },
  too_many: {
    en: ({ limit }) => `${limit ? `More than ${limit}` : "Too many"} sales of one wallet in a day`,
    pt: ({ limit }) => `A carteira ${limit ? `passou de ${limit} vendas` : "teve vendas demais"} no mesmo dia`,
  },
  too_high: {
    en: () => "The amount is above SALE_MAX_REAIS",
    pt: ({ limit }) => `O valor passa do máximo por venda${limit ? `, de ${reais(limit)}` : ""}`,
  },
  too_fast: {
    en: ({ seconds }) =>
      seconds ? `The sale is less than ${seconds} seconds after the click` : "The sale is too soon after the click",
    pt: ({ seconds }) =>
      seconds
        ? `A venda veio menos de ${seconds} segundos depois do clique`
        : "A venda veio cedo demais depois do clique",
  },
  order_twice: {
    en: () => "The same order was reported more than once",
    pt: () => "O mesmo pedido foi avisado mais de uma vez",
  },
  other_ticket: {
    en: ({ tickets }) => `The chain has a ticket of this sale for another buyer or store: ${tickets}`,
    pt: ({ tickets }) => `A rede já tem um ingresso desta venda para outra carteira ou loja: ${tickets}`,
  },
  likely_ticket: {
    en: ({ tickets }) =>
      `The chain probably has a ticket of this sale, with a reference that no key explains: ${tickets}`,
    pt: ({ tickets }) => `A rede provavelmente já tem o ingresso desta venda, com uma referência ilegível: ${tickets}`,
  },
  low_commission: {
    en: () => "The commission is below the cashback",
    pt: ({ commission, cashback }) =>
      `A comissão${inBrackets(commission)} é menor que o cashback${inBrackets(cashback)}`,
  },
};

/** Reasons with their figures as a sentence each. */
export function sayHolds(
  holds: readonly { reason: HoldReason; figures: HoldFigures }[],
  language: HoldLanguage,
): string {
  return holds.map(({ reason, figures }) => HOLD_WORDS[reason][language](figures)).join(". ");
}

function reais(cents: string): string {
  return new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" })
    .format(Number(cents) / 100)
    .replaceAll("\u00a0", " ");
}

const inBrackets = (cents: string | undefined): string => (cents === undefined ? "" : ` (${reais(cents)})`);

/** What was wrong with a network's report, field by field. `affiliates/row.ts` */
const DRIFT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^the row is not an object$/, "a linha não tem a forma combinada"],
  [/^(\S+) is not an object$/, "$1 não tem a forma combinada"],
  [/^(\S+) is missing$/, "falta $1"],
  [/^the amount is negative$/, "o valor é negativo"],
  [/^a part is negative$/, "uma das partes é negativa"],
  [/^the parts are more than the whole$/, "as partes somam mais que o total"],
  [/^an amount cannot be read$/, "um dos valores não pôde ser lido"],
  [/^(.+) for (.+) beside an unchanged (.+) BRL$/, "$1 por $2 com os mesmos $3 reais"],
  [/^the status is not known$/, "a situação não é conhecida"],
  [/^(\S+) is (.+)$/, "$1 veio como $2"],
];

function driftInPortuguese(detail: string): string {
  const say = (problem: string) => {
    const found = DRIFT_WORDS.find(([pattern]) => pattern.test(problem));
    return found ? problem.replace(found[0], found[1]) : problem;
  };
  return detail.split("; ").map(say).join("; ");
}
