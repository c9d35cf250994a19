import type { ProposalRow } from "../shapes.ts";
import { t, textOf } from "../texts.ts";
import { newWord } from "../words.ts";

/** What somebody asked for, as a sentence; of an unknown kind by its own name. `brl` formats reais. */
export function proposalTitle(asked: ProposalRow, brl: (reais: string) => string): string {
  const { kind, subject, subject_id, changes } = asked;
  const {
    amount = "0",
    account = "",
    network = "",
  } = Object.fromEntries(changes.map(({ field, to }) => [field, to ?? undefined]));
  const name = subject ?? String(subject_id);
  return (
    textOf("proposal.what", kind, { name, amount: brl(amount), account, network }) ??
    t("proposal.whatUnknown", { kind: newWord(kind), name })
  );
}

/** A line for each field: "De https://… para nada"; of a booking, what it says itself. `date` formats a day. */
export function proposalChanges({ kind, changes }: ProposalRow, date: (day: string) => string): string[] {
  if (kind === "booking") {
    const {
      count = "1",
      arrived_on: day,
      reference = "",
    } = Object.fromEntries(changes.map(({ field, to }) => [field, to ?? undefined]));
    return day ? [t("proposal.booking", { count: Number(count), day: date(day), reference })] : [];
  }
  return changes.map(({ from, to }) =>
    t("proposal.change", { from: from ?? t("proposal.nothing"), to: to ?? t("proposal.nothing") }),
  );
}
