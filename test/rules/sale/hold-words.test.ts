import { expect } from "chai";
import { type HoldFigures, type HoldReason, sayHolds } from "../../../core/rules/sale/holds.ts";

describe("Why a sale is held, in words", () => {
  const cases: [reason: HoldReason, figures: HoldFigures, pt: string, en: string][] = [
    [
      "too_many",
      { limit: "10" },
      "A carteira passou de 10 vendas no mesmo dia",
      "More than 10 sales of one wallet in a day",
    ],
    ["too_many", {}, "A carteira teve vendas demais no mesmo dia", "Too many sales of one wallet in a day"],
    [
      "too_high",
      { limit: "1000000" },
      "O valor passa do máximo por venda, de R$ 10.000,00",
      "The amount is above SALE_MAX_REAIS",
    ],
    ["too_high", {}, "O valor passa do máximo por venda", "The amount is above SALE_MAX_REAIS"],
    [
      "low_commission",
      { commission: "5", cashback: "750" },
      "A comissão (R$ 0,05) é menor que o cashback (R$ 7,50)",
      "The commission is below the cashback",
    ],
    [
      "drift",
      {
        detail: 'sale.status is missing; amount is "x"',
        problems: [
          { code: "missing", field: "sale.status" },
          { code: "odd", field: "amount", value: '"x"' },
        ],
      },
      'O aviso da rede não foi entendido: falta sale.status; amount veio como "x"',
      'The network\'s report is not understood: sale.status is missing; amount is "x"',
    ],
    [
      "drift",
      { detail: "a sentence of an earlier version" },
      "O aviso da rede não foi entendido: a sentence of an earlier version",
      "The network's report is not understood: a sentence of an earlier version",
    ],
  ];
  for (const [reason, figures, pt, en] of cases) {
    it(`says ${reason} ${JSON.stringify(figures)}`, () => {
      expect(sayHolds([{ reason, figures }], "pt")).to.equal(pt);
      expect(sayHolds([{ reason, figures }], "en")).to.equal(en);
    });
  }
});
