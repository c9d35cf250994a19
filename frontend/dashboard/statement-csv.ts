import type { Language } from "../../core/rules/languages.ts";
import { saoPauloTime } from "../../core/rules/sao-paulo-time.ts";
import { spreadsheetIn } from "../../core/rules/spreadsheet.ts";
import type { MessageId } from "../i18n/language.tsx";
import { situationWord } from "../i18n/situation-word.ts";
import { download } from "../ui/download.ts";
import { type Line, situationIn, statusOf } from "./statement.ts";

type Translate = (id: MessageId, values?: Record<string, string>) => string;

export function downloadStatement(...statement: Parameters<typeof statementCsv>): void {
  download("torcida.csv", "text/csv", statementCsv(...statement));
}

/** The statement for spreadsheets of the reader's language. docs/product.md#spreadsheets */
export function statementCsv(lines: readonly Line[], language: Language, t: Translate): string {
  const { number, rows } = spreadsheetIn(language);
  const timeOf = (iso: string) => (iso ? saoPauloTime(Date.parse(iso)) : "");

  function cellsOf(line: Line): string[] {
    const start = (id: string, store: string) => [id, timeOf(line.date), store];
    if (line.kind === "debt") {
      const { purchase_id, store, amount, owed } = line.debt;
      const [state, why] = owed === "0" ? (["settled", "over"] as const) : (["open", "why"] as const);
      const words = [t(`debt.${state}`), t(`debt.${why}`, { owed: `${number(owed)} CHZ` })];
      return [...start(String(purchase_id), store), "", "", number(`-${amount}`), ...words, "", number(owed), "", ""];
    }
    if (line.kind === "review") {
      const { order, store, amount, cashback_amount } = line.review;
      const money = [number(amount ?? ""), "", number(cashback_amount)];
      return [...start(order ?? "", store), ...money, t("review.stamp"), t("situation.in_review"), "", "", "", ""];
    }
    const { entry } = line;
    const { paid_amount, kept_amount, payment_tx, expected_at } = entry.purchase ?? {};
    const situation = situationIn(entry);
    const word = situation ? situationWord({ ...entry.purchase, situation }) : "unknown";
    const date = expected_at ? timeOf(expected_at).slice(0, 10) : "";
    return [
      ...start(entry.id, entry.store),
      entry.value === undefined ? entry.valueText : number(entry.value),
      entry.percent === undefined ? entry.percentText : number(entry.percent),
      ...[number(entry.cashback), t(`status.${statusOf(entry)}`), t(`situation.${word}`, { date })],
      ...[number(paid_amount ?? ""), number(kept_amount ?? ""), entry.wallet, payment_tx ?? ""],
    ];
  }

  return rows([t("statement.csv.columns").split(" | "), ...lines.map(cellsOf)]);
}
