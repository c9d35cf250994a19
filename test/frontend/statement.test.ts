import { expect } from "chai";
import { parse } from "csv-parse/sync";
import { textsIn } from "../../api/texts.ts";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import type { Debt, PurchaseRecord, Review } from "../../core/rules/api/purchases.ts";
import type { Language } from "../../core/rules/languages.ts";
import type { Situation } from "../../core/rules/purchase/situation.ts";
import {
  amountOf,
  byMonth,
  type Entry,
  entriesOf,
  figureOf,
  filterLines,
  linesOf,
  owedDebts,
  statusOf,
} from "../../frontend/dashboard/statement.ts";
import { statementCsv } from "../../frontend/dashboard/statement-csv.ts";

const entry = (id: string, date: string, situation?: Situation): Entry => ({
  id,
  date,
  store: "Loja",
  status: "pending",
  value: "1.00",
  valueText: "",
  percent: "1",
  percentText: "",
  cashback: "0.01",
  wallet: "",
  nft: undefined,
  facts: undefined,
  reading: undefined,
  purchase:
    situation &&
    ({
      ...{ situation, cashback_state: "unpaid", paid_amount: null, kept_amount: "0" },
      expected_at: "2026-11-19T02:59:00Z",
    } as PurchaseRecord),
});
const debt = (purchase_id: number, amount: string, at: string): Debt => ({ purchase_id, store: "Outra", amount, at });
const review: Review = {
  ...{ id: 4, store_id: 1, store: "Outra", order: "=A1", amount: "10.00", cashback_amount: "0.5" },
  at: "2026-11-03T12:00:00Z",
};
const statement = { in_wallet: "0", on_the_way: "0", waiting: "0", to_offset: "3", sum: "-3", next_at: null };

describe("The statement by month", () => {
  it("starts a month where the reader's month changes, and keeps undated entries together at the end", () => {
    const dates = [
      "2026-11-20T12:00:00Z",
      "2026-11-02T12:00:00Z",
      "2026-10-15T12:00:00Z",
      "2025-10-15T12:00:00Z",
      "",
      "",
    ];
    const lines = linesOf(
      dates.map((date, index) => entry(String(index), date)),
      {},
    );
    const months = byMonth(lines);
    expect(months.map((one) => one.lines.map(({ id }) => id))).to.deep.equal([["0", "1"], ["2"], ["3"], ["4", "5"]]);
    expect(months.at(-1)?.month).to.equal("");
  });
});

describe("A ticket whose return is final", () => {
  const nft = (status: string) =>
    ({ tokenId: "8", metadata: { attributes: [{ trait_type: "Status", value: status }] } }) as unknown as PurchaseNft;
  const paidRecord = {
    ...{ id: 8, situation: "paid_then_returned", cashback_state: "paid", paid_amount: "5", kept_amount: "0" },
    created_at: "2026-11-19T02:59:00Z",
  } as PurchaseRecord;
  const [returned, confirmed] = ["Returned", "Confirmed"].map(
    (status) => entriesOf({ nfts: [nft(status)], purchases: [paidRecord] }, [], 1n)[0],
  );

  it("says so in its line and to a filter, paid or not, where a confirmed one says that it is paid", () => {
    expect([returned && statusOf(returned), confirmed && statusOf(confirmed)]).to.deep.equal(["returned", "paid"]);
    const lines = linesOf(returned ? [returned] : [], { debts: [], reviews: [], statement });
    expect(filterLines(lines, { status: "returned" })).to.have.length(1);
    expect(filterLines(lines, { status: "paid" })).to.deep.equal([]);
    expect(lines.map(figureOf)).to.deep.equal(["in_wallet"]);
  });
});

describe("The lines of the statement", () => {
  const entries = [entry("9", "2026-11-04T12:00:00Z", "waiting_period"), entry("8", "2026-11-01T12:00:00Z", "paid")];
  const debts = [debt(8, "2", "2026-11-05T12:00:00Z"), debt(7, "4", "2026-10-05T12:00:00Z")];
  const lines = linesOf(entries, { debts, reviews: [review], statement });

  it("are purchases, debts and sales in review by date, each in one figure", () => {
    expect(lines.map((line) => [line.id, figureOf(line)])).to.deep.equal([
      ["debt-8-2026-11-05T12:00:00Z", "to_offset"],
      ["9", "on_the_way"],
      ["review-4", "waiting"],
      ["8", "in_wallet"],
      ["debt-7-2026-10-05T12:00:00Z", "to_offset"],
    ]);
  });

  it("say what is still owed: older debts are settled first", () => {
    expect(owedDebts(debts, "3").map((one) => one.owed)).to.deep.equal(["2", "1"]);
    expect(owedDebts(debts, "1.5").map((one) => one.owed)).to.deep.equal(["1.5", "0"]);
    expect(owedDebts(debts, "0").map((one) => one.owed)).to.deep.equal(["0", "0"]);
  });

  it("are filtered by figure and store; a filter by status leaves purchases only", () => {
    const ids = (filter: Parameters<typeof filterLines>[1]) => filterLines(lines, filter).map(({ kind }) => kind);
    expect(ids({ figure: "waiting" })).to.deep.equal(["review"]);
    expect(ids({ store: "Outra" })).to.deep.equal(["debt", "review", "debt"]);
    expect(ids({ status: "pending" })).to.deep.equal(["purchase", "purchase"]);
  });

  it("each show what lies in their figure, so that they add up to the statement's sum", () => {
    const life = (id: string, cashback: string, facts: Partial<PurchaseRecord>): Entry => ({
      ...entry(id, "2026-11-01T12:00:00Z", facts.situation),
      cashback,
      purchase: { cashback_state: "unpaid", paid_amount: null, kept_amount: "0", ...facts } as PurchaseRecord,
    });
    const all = linesOf(
      [
        life("1", "7", { situation: "paid_then_returned", paid_amount: "7" }),
        life("2", "2", { situation: "netted", kept_amount: "2" }),
        life("3", "5", { situation: "paid", paid_amount: "4.5", kept_amount: "0.5" }),
        life("4", "6", { situation: "waiting_period", kept_amount: "1.5" }),
        life("5", "3", { situation: "never_paid" }),
      ],
      { debts: [debt(1, "7", "2026-11-02T12:00:00Z")], reviews: [review], statement },
    );
    expect(all.map((line) => [line.id, amountOf(line)])).to.have.deep.members([
      ["1", "7"],
      ["2", "0"],
      ["3", "4.5"],
      ["4", "4.5"],
      ["5", "0"],
      ["review-4", "0.5"],
      ["debt-1-2026-11-02T12:00:00Z", "-3"],
    ]);
    const settled = linesOf([], { debts: [debt(1, "7", "2026-11-02T12:00:00Z")] });
    expect(settled.map(amountOf)).to.deep.equal(["0"]);
  });

  it("promise no payment for a confirmed ticket whose purchase is not known, but say its amount", () => {
    const [line] = linesOf([{ ...entry("1", ""), status: "confirmed" }], {});
    expect(line && [figureOf(line), amountOf(line)]).to.deep.equal([undefined, "0.01"]);
    expect(line && statementCsv([line], "pt", textsIn("pt")), "CSV").to.include("a página do ingresso mostra");
  });

  it("stand in the CSV as spreadsheets of each language read it, with their sign, and run no formula", () => {
    const rowsOf = (language: Language, delimiter: string): string[][] =>
      parse(statementCsv(lines, language, textsIn(language)), { delimiter, record_delimiter: "\r\n" });
    const [columns, debt8, bought, held, , settled] = rowsOf("pt", ";");
    expect(columns?.slice(0, 4)).to.deep.equal(["Compra", "Data (São Paulo)", "Loja", "Valor (R$)"]);
    expect(debt8).to.deep.equal([
      ...["8", "2026-11-05 09:00", "Outra", "", "", "-2", "A descontar"],
      "A compra foi devolvida depois do pagamento. Ainda faltam 2 CHZ, que saem dos próximos cashbacks.",
      ...["", "2", "", ""],
    ]);
    expect(bought?.slice(3, 8)).to.deep.equal([
      ...["1,00", "1", "0,01", "Pendente", "Confirmada; o cashback sai a partir de 2026-11-18."],
    ]);
    expect(held?.slice(0, 7)).to.deep.equal([
      "'=A1",
      "2026-11-03 09:00",
      "Outra",
      "10,00",
      "",
      "0,5",
      "Em conferência",
    ]);
    expect(settled?.slice(5, 7)).to.deep.equal(["-4", "A descontar"]);
    const [, , english] = rowsOf("en", ",");
    expect(english?.slice(2, 7)).to.deep.equal(["Loja", "1.00", "1", "0.01", "Pending"]);
  });
});
