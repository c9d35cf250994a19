import { expect } from "chai";
import { changeText } from "../../catalogue/changes.ts";
import type { CatalogueChange } from "../../domain/api/admin-catalogue.ts";
import { changeSentence } from "../../frontend/admin/stores/catalogue-changes.ts";
import { operationFigures, pauseReason } from "../../frontend/admin/words.ts";
import { aboveRate, admit } from "../../sender/allowance.ts";

describe("What an operation waits for, in the panel's words", () => {
  const limits = { maxWeiPerCent: 1n, maxPayout: 90n, dayLeft: 60n, dayEndsInMs: 1n, pool: 30n };
  const chz = (amount: string) => `${amount} CHZ`;
  /** The error that the sender stores for a payout of this amount in gwei. */
  const errorFor = (gwei: bigint) => {
    const [first] = admit([{ id: 1n, amount_gwei: gwei }], limits).setAside;
    return first?.verdict.kind === "later" ? first.verdict.text : null;
  };

  it("includes the figures of every limit of the sender", () => {
    const said = [91n, 61n, 31n].map((gwei) => operationFigures(errorFor(gwei), chz));
    expect(said).to.deep.equal([
      "O pagamento é de 0.000000091 CHZ, e o limite por pagamento é de 0.00000009 CHZ.",
      "O pagamento é de 0.000000061 CHZ, e hoje ainda podem sair 0.00000006 CHZ.",
      "O pagamento é de 0.000000031 CHZ, e o distribuidor tem 0.00000003 CHZ.",
    ]);
  });

  it("includes the maximum rate, per real", () => {
    const verdict = aboveRate(25_000_000_000_000_000n);
    const error = verdict.kind === "later" ? verdict.text : null;
    expect(operationFigures(error, chz)).to.equal("O teto é de 2.5 CHZ por R$ 1,00.");
  });

  it("leaves a contract's own message unchanged", () => {
    expect(operationFigures("AboveDailyCap(1, 2)", chz)).to.equal(undefined);
    expect(operationFigures(null, chz)).to.equal(undefined);
  });
});

describe("Why payouts are paused, in the panel's words", () => {
  it("words the system's own reasons, and leaves a person's unchanged", () => {
    expect(pauseReason("Database and chain differ: x", { code: "differences", detail: "x" })).to.match(
      /^o banco de dados/,
    );
    expect(pauseReason("…", { code: "lost_nonce", key: "payer", nonce: 7 })).to.include("a chave do pagador");
    const ahead = { code: "chain_ahead", key: "minter", nonce: 7, call: "mintBatch" } as const;
    expect(pauseReason("…", ahead)).to.include("transação da chave do emissor (nº 7)");
    expect(pauseReason("…", { code: "moved_back" })).to.include("npm run restored");
    expect(pauseReason("…", { code: "recovered" })).to.include("npm run reconcile");
    expect(pauseReason("Auditoria", null)).to.equal("Auditoria");
  });
});

describe("What a catalogue file would change, in the panel's words", () => {
  const said: readonly (readonly [change: CatalogueChange, line: string, sentence: string])[] = [
    [
      { kind: "create", what: "store", name: "Arena", fields: [{ field: "country", to: "Brasil" }] },
      "+ store Arena (Brasil), named on the chain by the api",
      "+ loja Arena (Brasil)",
    ],
    [
      {
        kind: "update",
        what: "store",
        name: "Arena",
        fields: [
          { field: "affiliate_link", to: "https://a.example" },
          { field: "featured", to: "true" },
          { field: "club", to: null },
        ],
      },
      "~ store Arena: affiliate_link → https://a.example, featured → true, club → null",
      "~ loja Arena: link de afiliado: https://a.example, destaque: sim, clube: vazio",
    ],
    [
      {
        kind: "create",
        what: "cashback",
        name: "Camisas",
        of: "Arena",
        fields: [{ field: "cashback_percent", to: "5.75" }],
      },
      "+ Arena, Camisas: 5.75%",
      "+ categoria Arena, Camisas: 5,75%",
    ],
    [
      {
        kind: "update",
        what: "cashback",
        name: "Camisas",
        of: "Arena",
        fields: [
          { field: "cashback_percent", from: "5.75", to: "6" },
          { field: "is_default", to: "false" },
        ],
      },
      "~ Arena, Camisas: 5.75% → 6%, is_default → false",
      "~ categoria Arena, Camisas: de 5,75% para 6%, categoria padrão: não",
    ],
    [
      { kind: "update", what: "fan_token", name: "psg", fields: [{ field: "contract", to: "0xab" }] },
      "~ fan token psg: contract → 0xab",
      "~ fan token psg: contrato: 0xab",
    ],
  ];
  for (const [change, line, sentence] of said) {
    it(sentence, () => {
      expect(changeSentence(change)).to.equal(sentence);
      expect(changeText(change)).to.equal(line);
    });
  }
});
