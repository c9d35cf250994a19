import { HOLD_REASONS, PROBLEM_CODES, sayHolds } from "../../../core/rules/sale/holds.ts";
import { knownOf } from "../../api/heard.ts";
import { useFormat } from "../../i18n/use-format.ts";
import type { Sale } from "../shapes.ts";
import { panelLanguage } from "../texts.ts";
import { newWord } from "../words.ts";

/** A sale's amount in reais, otherwise in its own currency. */
export function useSaleMoney(): (sale: Pick<Sale, "amount" | "amount_brl" | "currency">) => string {
  const { brl, decimal } = useFormat();
  return ({ amount, amount_brl, currency }) =>
    amount_brl === null
      ? `${currency} ${decimal(amount)}`
      : currency === "BRL"
        ? brl(amount_brl)
        : `${brl(amount_brl)} (${currency} ${decimal(amount)})`;
}

/** Why a sale is held, or the reason that a person or the network gave. */
export const whyOf = ({ held_for, reason }: Pick<Sale, "held_for" | "reason">): string | null =>
  held_for.length > 0 ? held_for.map(sayHold).join(". ") : reason;

function sayHold({ reason, figures }: Sale["held_for"][number]): string {
  const known = knownOf(HOLD_REASONS, reason);
  if (known === undefined) return newWord(reason);
  const problems = figures.problems?.flatMap((problem) => {
    const code = knownOf(PROBLEM_CODES, problem.code);
    return code ? [{ ...problem, code }] : [];
  });
  return sayHolds([{ reason: known, figures: { ...figures, problems } }], panelLanguage());
}
