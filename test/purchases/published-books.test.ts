import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { listPublishedBooks } from "../../core/purchases/published-books.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { outcomesOf, type ProvenTicket } from "../../core/rules/proof.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { insertClicks } from "../../core/sales/clicks.ts";
import { reportOf, Shop } from "../sales/support/shop.ts";
import { onEitherEngine } from "../testing/databases.ts";

const approved = { status: "approved" } as const;
const payable = { status: "approved", payable: true } as const;
const declined = { status: "declined" } as const;
const LIMIT = 50;

type Report = Partial<SaleReport> & { reais?: number };

/** docs/product.md#proof */
describe("The published books", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      /** The wallet's tickets as the chain has them, and what the books make of each. */
      const prove = async () => {
        const { kysely } = shop.database;
        const nfts = await kysely.selectFrom("nfts").selectAll().where("owner", "=", wallet).execute();
        const payouts = await kysely.selectFrom("payouts").selectAll().execute();
        const purchases = await kysely.selectFrom("purchases").selectAll().execute();
        const tickets = nfts.map((nft): ProvenTicket => {
          const weiPerCent = purchases.find(({ id }) => id === nft.token_id)?.wei_per_cent ?? undefined;
          return {
            id: nft.token_id,
            buyer: wallet,
            status: Number(nft.status),
            valueCents: nft.value_cents,
            totalBps: nft.cashback_bps + nft.bonus_bps,
            payouts: payouts
              .filter(({ token_id }) => token_id === nft.token_id)
              .map(({ amount_gwei, recipient, transaction_hash }) => ({
                ...{ kind: "paid", recipient, weiPerCent, transaction: transaction_hash },
                amountWei: amount_gwei * 10n ** 9n,
              })),
          };
        });
        const rows = await listPublishedBooks(kysely, wallet, { limit: LIMIT });
        const books = new Map(rows.flatMap(({ id, entry }) => (entry ? [[id, entry] as const] : [])));
        expect(new Set(rows.map(({ id }) => id))).to.deep.equal(new Set(nfts.map(({ token_id }) => token_id)));
        return { tickets, books, outcomes: outcomesOf(tickets, books), rows };
      };
      return { shop, wallet, click, prove };
    }

    const stories: Record<string, readonly Report[]> = {
      "pays in full": [payable],
      "is less while Pending": [{}, { reais: 60 }, { reais: 60, ...payable }],
      "is less while Confirmed": [approved, { reais: 60, ...approved }, { reais: 60, ...payable }],
      "is less after the payment": [payable, { reais: 60, ...payable }],
      "is more after the payment": [payable, { reais: 150, ...payable }],
      "is declined while Confirmed": [approved, declined],
      "is declined after the payment": [payable, declined],
      "is restored while Confirmed": [approved, declined, approved, payable],
      "is restored after the payment": [payable, declined, payable],
      "goes up, down and up": [
        payable,
        { reais: 150, ...payable },
        { reais: 20, ...payable },
        { reais: 150, ...payable },
      ],
      "has items with different percents": [
        {
          ...payable,
          parts: [
            { group: "FASHION", amountMicros: 33_330_000n },
            { group: "unheard", amountMicros: 66_670_000n },
          ],
        },
      ],
    };
    for (const [what, states] of Object.entries(stories)) {
      it(`explain to the gwei every payout of a sale that ${what}, and of the next sale`, async () => {
        const { shop, click, prove } = await open();
        const { saleKey, orderRef, occurredAt } = reportOf(click);
        for (const state of states) {
          await shop.read(reportOf(click, { saleKey, orderRef, occurredAt, ...state }));
          await shop.run();
        }
        await shop.read(reportOf(click, { ...payable, reais: 31.41 }));
        await shop.run();
        const { tickets, outcomes } = await prove();
        expect(tickets.length).to.be.greaterThan(0);
        for (const [index, { kind }] of outcomes.entries()) {
          const ticket = tickets[index];
          const isUnpaid = ticket?.status !== CHAIN_STATUS.confirmed;
          expect(kind, `${ticket?.id}`).to.be.oneOf(isUnpaid ? ["open"] : ["paid", "kept"]);
        }
      });
    }

    it("say nothing of what was paid in full, nor of a debt until and beyond what is kept for it", async () => {
      const { shop, click, prove } = await open();
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.run();
      expect((await prove()).books.size, "paid in full").to.equal(0);
      await shop.read({ ...report, ...declined });
      await shop.run();
      expect((await prove()).books.size, "owed").to.equal(0);
      await shop.read(reportOf(click, { reais: 60, ...payable }));
      await shop.run();
      const { tickets, books, outcomes } = await prove();
      const [returned, kept] = tickets.map(({ id }) => id) as [bigint, bigint];
      const chz = 10n ** 9n;
      expect(books.get(returned)).to.deep.equal({ cashbackGwei: 5n * chz, keptGwei: 0n, owedGwei: 3n * chz });
      expect(books.get(kept)).to.deep.equal({ cashbackGwei: 3n * chz, keptGwei: 3n * chz, owedGwei: 0n });
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["paid", "kept"]);
    });

    it("explain what an invitation added, and what its friend's return takes back", async () => {
      const { shop, wallet, prove } = await open();
      const friend = await shop.buyer("b");
      const row = { friend, inviter: wallet, month: "2026-11", state: "open" as const, created_at: 1n };
      await shop.database.kysely.insertInto("invites").values(row).execute();
      const visit = async (by: WalletAddress) => {
        const terms = { groups: {}, defaultBps: 500n, bonusBps: 0n };
        const draft = {
          ...{ wallet: by, storeId: shop.storeId, storeName: "Loja", tokenSlug: null, balanceBlock: null, terms },
          ...{ clickedAt: BigInt(Date.now()), windowMs: BigInt(DAY_MS), inviteBps: 200n },
        };
        const [click] = await inTransaction(shop.database.kysely, (queries) => insertClicks(queries, [draft]));
        if (!click) throw new Error("No click");
        return click;
      };
      const ofFriend = reportOf(await visit(friend), { ...payable, commissionMicros: null });
      await shop.read(ofFriend);
      await shop.run();
      await shop.read(reportOf(await visit(wallet), { ...payable, reais: 50, commissionMicros: null }));
      await shop.run();
      expect((await prove()).tickets[0]).to.include({ totalBps: 700n });
      expect((await prove()).outcomes).to.deep.equal([{ kind: "paid" }]);
      await shop.read({ ...ofFriend, ...declined });
      await shop.read(reportOf(await visit(wallet), { ...payable, reais: 60 }));
      await shop.run();
      const { tickets, books, outcomes } = await prove();
      const [invited, next] = tickets.map(({ id }) => id) as [bigint, bigint];
      const chz = 10n ** 9n;
      expect(books.get(invited)).to.deep.equal({ cashbackGwei: (35n * chz) / 10n, keptGwei: 0n, owedGwei: chz });
      expect(books.get(next)).to.deep.equal({ cashbackGwei: 3n * chz, keptGwei: chz, owedGwei: 0n });
      expect(outcomes).to.deep.equal([
        { kind: "paid" },
        { kind: "kept", keptWei: 10n ** 18n, lowerWei: 0n, debtOf: [invited] },
      ]);
    });

    it("name what was kept and for which return, and explain nothing that they get wrong", async () => {
      const { shop, click, prove } = await open();
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.run();
      await shop.read({ ...report, ...declined });
      await shop.read(reportOf(click, { reais: 160, ...payable }));
      await shop.run();
      const { tickets, books, outcomes } = await prove();
      const [returned, next] = tickets.map(({ id }) => id) as [bigint, bigint];
      const chz = 10n ** 9n;
      expect(books.get(returned)).to.deep.equal({ cashbackGwei: 5n * chz, keptGwei: 0n, owedGwei: 5n * chz });
      expect(books.get(next)).to.deep.equal({ cashbackGwei: 8n * chz, keptGwei: 5n * chz, owedGwei: 0n });
      expect(outcomes).to.deep.equal([
        { kind: "paid" },
        { kind: "kept", keptWei: 5n * 10n ** 18n, lowerWei: 0n, debtOf: [returned] },
      ]);
      const less = { kind: "less", differenceWei: 5n * 10n ** 18n };
      for (const [id, wrong] of [
        [next, { keptGwei: 5n * chz - 1n }],
        [next, { keptGwei: 5n * chz + 1n }],
        [returned, { owedGwei: 5n * chz - 1n }],
      ] as const) {
        const changed = new Map(books).set(id, { ...books.get(id)!, ...wrong });
        expect(outcomesOf(tickets, changed)[1], JSON.stringify(id === next)).to.deep.equal(less);
      }
      expect(outcomesOf(tickets)[1], "without books").to.deep.equal(less);
    });
  });
});
