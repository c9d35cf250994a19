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

  it("leaves out what is still to come, which banks list as well", () => {
    const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10);
    const content = `Data;Descrição;Valor\n${day(0)};PIX;5,00\n${day(3 * 86_400_000)};PIX;5,00\n28/11/2062;PIX;5,00\n`;
    const { lines, leftOut } = readBankFile(content);
    expect([lines.map(({ line }) => line), leftOut]).to.deep.equal([[2], 2]);
  });

  it("keeps a reference that can be stored, also where it is cut off", () => {
    const said = `${"x".repeat(139)}\u{1f600}`;
    const [line] = readBankFile(`Data;Descrição;Valor\n28/11/2026;${said};5,00\n`).lines;
    expect(line?.reference).to.equal(`${"x".repeat(139)}\ufffd`);
  });

  it("is refused where it would keep others waiting while it is read", () => {
    for (const content of ["Data;Valor\n".repeat(4_001), `Data;Valor${"\n".repeat(500_000)}`, ";".repeat(600_000)]) {
      const began = performance.now();
      expect(() => readBankFile(content)).to.throw(BankFileError, "4000 lines");
      expect(performance.now() - began).to.be.below(1_000);
    }
    expect(readBankFile(`Data;Valor\n${"28/11/2026;5,00\n".repeat(3_998)}`).lines).to.have.length(3_998);
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
