import { expect } from "chai";
import { BankFileError, readBankFile } from "../../core/purchases/bank-file.ts";

const linesOf = (content: string) =>
  readBankFile(content).lines.map(({ line, amountCents, arrivedOn, reference }) => [
    ...[line, amountCents, arrivedOn, reference],
  ]);

describe("A bank's statement", () => {
  it("is read as banks in Brazil write it, and as others do", () => {
    const brazil =
      "\uFEFFExtrato;;\r\n\r\nData;Histórico;Valor (R$)\r\n27/11/2026;PIX ACME;1.234,56\r\n27/11/2026;Tarifa;-9,90\r\n";
    expect(linesOf(brazil)).to.deep.equal([[4, 123_456n, "2026-11-27", "PIX ACME"]]);
    const english = 'Date,Description,Amount\n2026-11-28,"ACME, Inc","1,234.50"\n2026-11-28,Fee,-2\n';
    expect(linesOf(english)).to.deep.equal([[2, 123_450n, "2026-11-28", "ACME, Inc"]]);
    expect(linesOf("data\tvalor\n28/11/2026\tR$ 5\n")).to.deep.equal([[2, 500n, "2026-11-28", "–"]]);
  });

  it("leaves out what is no money in, and counts it", () => {
    const content =
      "Data;Descrição;Valor\n31/02/2026;no such day;5,00\n28/11/2026;no amount;x\n28/11/2026;nothing;0,00\nSaldo;;7,00\n";
    expect(readBankFile(content)).to.deep.equal({ lines: [], leftOut: 4 });
  });

  it("has one key a line, the same in another file, where two equal lines are two", () => {
    const line = "28/11/2026;PIX;5,00\n";
    const keys = (content: string) => readBankFile(content).lines.map(({ lineKey }) => lineKey);
    const [first, second] = keys(`Data;Descrição;Valor\n${line}${line}`);
    expect(first).to.not.equal(second);
    expect(keys(`Conta 1;;\nData;Descrição;Valor\n27/11/2026;PIX;9,00\n${line}`)[1]).to.equal(first);
  });

  it("is refused without a line that names its columns", () => {
    expect(() => readBankFile("28/11/2026;PIX;5,00\n")).to.throw(BankFileError);
    expect(() => readBankFile("")).to.throw(BankFileError);
  });
});
