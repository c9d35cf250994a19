import { expect } from "chai";
import { changeText } from "../../core/catalogue/changes.ts";
import type { CatalogueChange } from "../../core/rules/api/admin-catalogue.ts";
import { PROPOSAL_KINDS } from "../../core/rules/proposals.ts";
import { aboveRate, admit } from "../../core/sender/dispatch.ts";
import type { Verdict } from "../../core/sender/encoder.ts";
import { proposalChanges, proposalTitle } from "../../frontend/admin/approvals/proposal-words.ts";
import type { ProposalRow } from "../../frontend/admin/shapes.ts";
import { changeSentence } from "../../frontend/admin/stores/catalogue-changes.ts";
import { limitWords, pauseReason } from "../../frontend/admin/words.ts";

describe("What an operation waits for, in the panel's words", () => {
  const limits = { maxWeiPerCent: 1n, maxPayout: 90n, dayLeft: 60n, dayEndsInMs: 1n, pool: 30n, shares: new Map() };
  const chz = (amount: string) => `${amount} CHZ`;
  const words = (verdict: Verdict | undefined) =>
    verdict?.kind === "later" ? limitWords(verdict.reason, verdict.limit ?? null, chz) : undefined;

  it("includes the figure of every limit of the sender", () => {
    const said = [91n, 61n, 31n].map((gwei) =>
      words(admit([{ id: 1n, amount_gwei: gwei, share_id: null }], limits).setAside[0]?.verdict),
    );
    expect(said).to.deep.equal([
      "O limite por pagamento é de 0.00000009 CHZ.",
      "Hoje ainda podem sair 0.00000006 CHZ.",
      "O distribuidor tem 0.00000003 CHZ.",
    ]);
    expect(words(aboveRate(25_000_000_000_000_000n))).to.equal("O teto é de 2.5 CHZ por R$ 1,00.");
  });

  it("names no figure where none is known", () => {
    expect(limitWords("day_cap", null, chz)).to.equal(undefined);
    expect(limitWords(null, null, chz)).to.equal(undefined);
  });
});

describe("What waits for a second person, in the panel's words", () => {
  const asked = (word: string, changes: ProposalRow["changes"] = []): ProposalRow => ({
    ...{
      id: 1,
      kind: word as ProposalRow["kind"],
      state: "open",
      subject: null,
      subject_id: "awin:br 7c9e",
      reason: null,
      changes,
      needs_second: true,
    },
    ...{ from: null, to: null, asked_by: "0xa", created_at: "2026-11-30T12:00:00.000Z", takes_effect_at: null },
    ...{ decided_by: null, decided_at: null, decision_reason: null },
  });
  const brl = (reais: string) => `R$ ${reais}`;

  it("has a sentence for each kind", () => {
    const unknown = PROPOSAL_KINDS.filter((kind) => proposalTitle(asked(kind), brl).startsWith(kind));
    expect(unknown).to.deep.equal([]);
    expect(proposalTitle(asked("tomorrow"), brl)).to.include("tomorrow");
  });

  it("says what is booked, from whom, and how the bank calls it", () => {
    const to = {
      network: "awin",
      account: "br",
      amount: "6000.00",
      count: "2",
      arrived_on: "2026-11-28",
      reference: "TED 1",
    };
    const booking = asked(
      "booking",
      Object.entries(to).map(([field, value]) => ({ field, from: null, to: value })),
    );
    expect(proposalTitle(booking, brl)).to.equal("Lançar R$ 6000.00 que chegaram de br (awin)");
    expect(proposalChanges(booking, (day) => day)).to.deep.equal(["2 lançamentos, o primeiro de 2026-11-28: TED 1"]);
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
