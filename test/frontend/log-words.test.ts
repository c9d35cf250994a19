import { expect } from "chai";
import { logSentence } from "../../frontend/admin/log/log-words.ts";

const NAMES = {
  store: (id: string) => (id === "1" ? "Verdão Store" : undefined),
  category: (_store: string, id: string) => (id === "3" ? "Calçados" : undefined),
  fanToken: (id: string) => (id === "2" ? "Palmeiras" : undefined),
};

const say = (action: string, subject: string, detail: object = {}) =>
  logSentence({ action, subject, detail: JSON.stringify(detail) }, NAMES);

const A_WALLET = `0x${"a".repeat(40)}`;

describe("The log in words", () => {
  const cases: [action: string, subject: string, detail: object, sentence: string][] = [
    ["store.create", "store:9", { name: "Arena" }, "cadastrou a loja Arena"],
    [
      "chain.RoleGranted",
      `0x${"1".repeat(40)}`,
      { contract: "PurchaseNFT", block: "7", rang: true, role: "MINTER_ROLE", account: A_WALLET, sender: A_WALLET },
      "viu na rede: a permissão de emitir ingressos foi dada a 0xaaaa...aaaa por 0xaaaa...aaaa, no contrato PurchaseNFT, no bloco 7",
    ],
    [
      "chain.LimitsSet",
      `0x${"2".repeat(40)}`,
      { contract: "CashbackDistributor", block: "8", rang: false, maxPayout: "1000000000000000000", dailyCap: "2" },
      "viu na rede: os limites agora são 1 CHZ por pagamento e 0,000000000000000002 CHZ por dia, no contrato CashbackDistributor, no bloco 8 (antes de começar a acompanhar)",
    ],
    ["chain.Deployed", "0x1", { acts: 12 }, "viu na rede: 12 atos da própria implantação"],
    [
      "store.update",
      "store:1",
      { name: "Verdão Store", logo: "https://x.y/z.png" },
      "alterou o nome e o logo da loja Verdão Store",
    ],
    ["store.update", "store:1", { network: "awin", account: "br" }, "alterou a rede e a conta da loja Verdão Store"],
    ["store.delete", "store:9", {}, "excluiu a loja nº 9"],
    [
      "cashback.create",
      "store:1/cashback:8",
      { category: "Camisas", cashbackBps: "500" },
      "criou a categoria Camisas, 5%, em Verdão Store",
    ],
    [
      "cashback.update",
      "store:1/cashback:3",
      { cashbackBps: "575" },
      "alterou a categoria Calçados, 5,75%, em Verdão Store",
    ],
    [
      "cashback.update",
      "store:1/cashback:3",
      { store: "Verdão", cashback_percent: "6", was: { cashback_percent: "5" } },
      "alterou a categoria Calçados, de 5% para 6%, em Verdão",
    ],
    [
      "sale.decline",
      "sale:5",
      { order_ref: "PED-1", amount: "1300.5", currency: "BRL", reason: "Devolvida" },
      "recusou a venda nº 5, pedido PED-1, de R$ 1.300,50. Motivo: Devolvida",
    ],
    [
      "boost.plan",
      "store:1/boost:4",
      { category: "Camisas", cashback_percent: "12", ends_at: "2026-11-30T02:59:00.000Z", approval_id: "7" },
      "planejou cashback turbinado, 12%, em Camisas, em Verdão Store, até 29 de nov. de 2026, 23:59 (São\u00a0Paulo), que espera uma segunda pessoa",
    ],
    [
      "percent.approve",
      "store:1/percent_approval:4",
      { cashback_percent: "12", reason: "Combinado" },
      "aprovou o percentual, 12%, em Verdão Store. Motivo: Combinado",
    ],
    ["cashback.delete", "store:1/cashback:3", { deleted: true }, "excluiu a categoria Calçados, em Verdão Store"],
    ["fan_token.delete", "fan_token:2", {}, "excluiu o fan token Palmeiras"],
    ["payouts.pause", "payouts", { reason: "Auditoria" }, "pausou os pagamentos. Motivo: Auditoria"],
    ["payouts.resume", "payouts", { reason: "An administrator stopped payments" }, "retomou os pagamentos"],
    [
      "operation.retry",
      "operation 4",
      { kind: "pay", subject_id: 7, reason: "paused", given_reason: "Contrato retomado" },
      "mandou tentar de novo: pagar o cashback, nº 7. Tinha parado: O contrato está pausado. Motivo: Contrato retomado",
    ],
    [
      "operation.dismiss",
      "operation 4",
      { kind: "confirm", subject_id: 7, reason: "NotPending(7, 3)" },
      "desistiu do que nunca poderia ser enviado: confirmar o ingresso, nº 7",
    ],
    [
      "approval.refuse",
      "approval:3",
      { purchase_id: "7", wallet: `0x1234${"0".repeat(32)}abcd`, amount: "1025.5", reason: "Valor errado" },
      "recusou aprovar: pagar a compra nº 7, de 1.025,50 CHZ, para 0x1234...abcd (pedido nº 3). Motivo: Valor errado",
    ],
    [
      "cashback_distribution.create",
      `user:0x${"1".repeat(40)}`,
      { amount: "5" },
      "pagou 5,00 CHZ de cashback a 0x1111...1111",
    ],
    ["sale.release", "sale:5", { reasons: "too_high" }, "liberou a venda nº 5"],
    ["claim.match", "claim:2", { sale_id: "5" }, "ligou a reclamação nº 2 à venda nº 5"],
    [
      "claim.refuse",
      "claim:2",
      { reason: "Pedido de outra loja" },
      "recusou a reclamação nº 2. Motivo: Pedido de outra loja",
    ],
  ];
  for (const [action, subject, detail, sentence] of cases) {
    it(`says ${action} as '${sentence}'`, () => expect(say(action, subject, detail)).to.equal(sentence));
  }

  it("shows an unknown action by its name, and accepts a detail that is not JSON", () => {
    expect(say("moon.landing", "moon:1")).to.equal("moon.landing em moon:1");
    expect(logSentence({ action: "store.delete", subject: "store:1", detail: "{" }, NAMES)).to.equal(
      "excluiu a loja Verdão Store",
    );
  });
});
