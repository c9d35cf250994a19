import { expect } from "chai";
import fc from "fast-check";
import type { ChainEvent, EventContent } from "../../indexer/events.ts";
import { type Changes, fold } from "../../indexer/fold.ts";

const BUYER = "0x00000000000000000000000000000000000b0b00";
const mint = (tokenId: bigint): EventContent => ({
  kind: "PurchaseMinted",
  tokenId,
  buyer: BUYER,
  storeId: 1,
  valueCents: 10_000,
  cashbackBps: 250,
  bonusBps: 100,
  saleRef: 7n,
});
const status = (tokenId: bigint, to: number): EventContent => ({ kind: "StatusUpdated", tokenId, to });
const pay = (tokenId: bigint, amountWei: bigint): EventContent => ({
  kind: "CashbackPaid",
  tokenId,
  recipient: BUYER,
  amountWei,
  weiPerCent: 10n ** 16n,
});

/** One event per block. */
const inBlocks = (contents: readonly EventContent[]): ChainEvent[] =>
  contents.map((content, index) => ({ blockNumber: index, logIndex: 0, transactionHash: `0x${index}`, ...content }));
const TIMES = new Map(Array.from({ length: 100 }, (_, number) => [number, 1_000 + number]));

describe("Fold", () => {
  it("folds the three events of a purchase to a confirmed, paid one", () => {
    const { nfts, payouts } = fold(inBlocks([mint(1n), status(1n, 2), pay(1n, 3_500_000_000_000_000_000n)]), TIMES);
    expect(nfts.get(1n)).to.include({ owner: BUYER, mintedAtMs: 1_000_000, status: 2, statusBlock: 1 });
    expect(payouts.get(1n)).to.include({ amountGwei: 3_500_000_000n, state: "paid", paidAtMs: 1_002_000 });
  });

  it("updates a token that was minted before", () => {
    const { nfts, statuses } = fold(inBlocks([status(5n, 3)]), TIMES);
    expect(nfts.size).to.equal(0);
    expect(statuses.get(5n)).to.include({ status: 3, statusTransaction: "0x0", statusAtMs: 1_000_000 });
  });

  it("rejects a status that the contract does not have", () => {
    expect(fold(inBlocks([status(5n, 9), status(5n, 0)]), TIMES).statuses.size).to.equal(0);
  });

  it("rounds what was paid up to a gwei, so that no part of one is missing for ever", () => {
    const { payouts } = fold(inBlocks([pay(1n, 1n), pay(2n, 3_000_000_000n), pay(3n, 3_000_000_001n)]), TIMES);
    expect([...payouts.values()].map(({ amountGwei }) => amountGwei)).to.deep.equal([1n, 3n, 4n]);
  });

  it("caps an amount to its column", () => {
    expect(fold(inBlocks([pay(1n, 2n ** 255n)]), TIMES).payouts.get(1n)?.amountGwei).to.equal(2n ** 63n - 1n);
  });

  it("gives the same result however the chain is split", () => {
    const token = fc.bigInt({ min: 1n, max: 4n });
    const content = fc.oneof(
      token.map(mint),
      fc.tuple(token, fc.integer({ min: 0, max: 4 })).map(([id, to]) => status(id, to)),
      fc.tuple(token, fc.bigInt({ min: 1n, max: 10n ** 20n })).map(([id, wei]) => pay(id, wei)),
    );
    fc.assert(
      fc.property(fc.array(content, { maxLength: 30 }), fc.nat(30), (contents, cut) => {
        const events = inBlocks(contents);
        const whole = apply(emptyState(), fold(events, TIMES));
        const first = apply(emptyState(), fold(events.slice(0, cut), TIMES));
        expect(apply(first, fold(events.slice(cut), TIMES))).to.deep.equal(whole);
      }),
    );
  });
});

type State = { nfts: Changes["nfts"]; payouts: Changes["payouts"] };

function emptyState(): State {
  return { nfts: new Map(), payouts: new Map() };
}

/** Applies changes as the database does. */
function apply(state: State, changes: Changes): State {
  for (const [tokenId, nft] of changes.nfts) state.nfts.set(tokenId, { ...nft });
  for (const [tokenId, one] of changes.statuses) {
    const nft = state.nfts.get(tokenId);
    if (nft) state.nfts.set(tokenId, { ...nft, ...one });
  }
  for (const [tokenId, payout] of changes.payouts) state.payouts.set(tokenId, payout);
  return state;
}
