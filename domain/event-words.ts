import type { EventKind } from "./events.ts";
import type { Language } from "./languages.ts";

/** The amounts of an event as their reader sees them: "R$ 100,00", "5,00 CHZ". The store's name is said beside it. */
export type EventFigures = { value: string; amount: string | null; reason: string | null };
type Say = (figures: EventFigures) => string;

/** What happened, in one or two sentences for the buyer: in the bell's list and by e-mail. docs/product.md#events */
const EVENT_WORDS: Record<EventKind, Record<Language, Say>> = {
  tracked: {
    pt: ({ value }) => `Compra de ${value} registrada. Agora é com a loja, que precisa confirmar.`,
    en: ({ value }) => `Purchase of ${value} recorded. The store confirms it next.`,
  },
  confirmed: {
    pt: ({ amount }) => `Compra confirmada: ${amount ? `${amount} de cashback` : "o cashback está"} a caminho.`,
    en: ({ amount }) => `Purchase confirmed: ${amount ? `${amount} of` : "your"} cashback is on its way.`,
  },
  paid: {
    pt: ({ amount }) => `Você recebeu ${amount} de cashback na sua carteira.`,
    en: ({ amount }) => `You received ${amount} of cashback in your wallet.`,
  },
  credit: {
    pt: ({ amount }) => `A sua carteira recusou ${amount}. O valor está guardado no contrato, à espera do seu saque.`,
    en: ({ amount }) => `Your wallet refused ${amount}. The amount is safe in the contract until you withdraw it.`,
  },
  declined: {
    pt: ({ value }) => `A loja cancelou a compra de ${value}, por isso não há cashback.`,
    en: ({ value }) => `The store cancelled the purchase of ${value}, so there is no cashback.`,
  },
  debt: {
    pt: ({ amount }) => `Compra devolvida depois do pagamento: vamos descontar ${amount} dos seus próximos cashbacks.`,
    en: ({ amount }) => `Purchase returned after it was paid: ${amount} will come off your next cashback.`,
  },
  claim_accepted: {
    pt: ({ value }) => `Achamos a compra de ${value} que você reclamou. Ela já está no seu painel.`,
    en: ({ value }) => `We found the purchase of ${value} that you claimed. It is in your dashboard.`,
  },
  claim_refused: {
    pt: ({ value, reason }) =>
      `Não conseguimos confirmar a compra de ${value} que você reclamou.${reason ? ` Motivo: ${reason}` : ""}`,
    en: ({ value, reason }) =>
      `We could not confirm the purchase of ${value} that you claimed.${reason ? ` Reason: ${reason}` : ""}`,
  },
};

/** What to tell a buyer about an event. */
export function sayEvent(kind: EventKind, figures: EventFigures, language: Language): string {
  return EVENT_WORDS[kind][language](figures);
}
