import type { HoldFigures, HoldReason } from "./hold.ts";
import { type HoldLanguage, sayProblems } from "./problem.ts";

type Say = (figures: HoldFigures) => string;

/** Why a sale is held. */
const HOLD_WORDS: Record<HoldReason, Record<HoldLanguage, Say>> = {
  drift: {
    en: ({ detail }) => `The network's report is not understood${detail ? `: ${detail}` : ""}`,
    pt: ({ detail, problems }) => {
      const said = problems ? sayProblems(problems, "pt") : detail;
      return `O aviso da rede não foi entendido${said ? `: ${said}` : ""}`;
    },
  },
  no_rate: {
    en: ({ currency }) => `There is no exchange rate for ${currency ?? "the sale's currency"}`,
    pt: ({ currency }) => `Não há cotação para ${currency ?? "a moeda da venda"}`,
  },
  other_account: {
    en: ({ account, unlinked }) => {
      if (account) return `The account ${account} is not configured any more`;
      if (unlinked) return "The click's store has no network";
      return "The click is of a store of another network or account";
    },
    pt: ({ account, unlinked }) => {
      if (account) return `A conta ${account} não está mais configurada`;
      if (unlinked) return "A loja do clique ainda não tem rede";
      return "O clique é de uma loja de outra rede ou conta";
    },
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
