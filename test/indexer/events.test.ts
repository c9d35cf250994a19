import { expect } from "chai";
import { type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex, toEventSelector, zeroAddress } from "viem";
import { ContradictoryLogsError } from "../../core/chain/contract-events.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import {
  decodeEvents,
  decodeLog,
  EVENT_TOPICS,
  type EventContent,
  RATE_TOPIC,
  type RpcLog,
  TRANSFER_TOPIC,
} from "../../indexer/events.ts";
import { contentOf, storedForm } from "../../indexer/store/chain-index.ts";

const ABIS = { purchaseNft: purchaseNftAbi, cashbackDistributor: cashbackDistributorAbi };
const BUYER = "0x00000000000000000000000000000000000b0b00";
const RECIPIENT = "0xffffffffffffffffffffffffffffffffffffffff";

const MINT = {
  tokenId: 2n ** 63n - 1n,
  buyer: BUYER,
  storeId: 65_535,
  valueCents: 2 ** 40 - 1,
  cashbackBps: 10_000,
  bonusBps: 250,
  saleRef: 2n ** 64n - 2n,
} as const;
const CANCELLATION = { tokenId: 8n, to: 3 } as const;

/** The largest values of each kind, as the contract would emit them, and the expected event. */
const SAMPLES: { args: Record<string, unknown>; content: EventContent }[] = [
  { args: { ...MINT, baseBps: MINT.cashbackBps }, content: { kind: "PurchaseMinted", ...MINT, saleRef: -2n } },
  { args: CANCELLATION, content: { kind: "StatusUpdated", ...CANCELLATION } },
  { args: { from: BUYER, to: zeroAddress, id: 8n }, content: { kind: "Burnt", tokenId: 8n, owner: BUYER } },
  {
    args: { purchaseId: 9n, recipient: RECIPIENT, amount: 2n ** 96n - 1n },
    content: { kind: "CashbackPaid", tokenId: 9n, recipient: RECIPIENT, amountWei: 2n ** 96n - 1n, weiPerCent: null },
  },
  {
    args: { purchaseId: 10n, recipient: BUYER, amount: 1n },
    content: { kind: "CashbackDeferred", tokenId: 10n, recipient: BUYER, amountWei: 1n, weiPerCent: null },
  },
];

describe("Events", () => {
  it("has a sample of every kind", () => {
    expect(SAMPLES.map(({ content }) => content.kind)).to.have.members([...Object.keys(EVENT_TOPICS), "Burnt"]);
  });

  for (const { args, content } of SAMPLES) {
    it(`decodes ${content.kind} as encoded by the contract's ABI`, () => {
      const topic = content.kind === "Burnt" ? TRANSFER_TOPIC : EVENT_TOPICS[content.kind].topic;
      expect(topic).to.equal(toEventSelector(abiOf(content.kind)));
      const position = { blockNumber: 255, logIndex: 16, transactionHash: "0xabc" };
      expect(decodeLog(logOf(content.kind, args))).to.deep.equal({ ...position, ...content });
    });

    it(`restores ${content.kind} as stored`, () => {
      expect(contentOf(content.kind, content.tokenId, storedForm(content).storedArguments, null)).to.deep.equal(
        content,
      );
    });

    it(`stores the numbers of ${content.kind} as explorers show them`, () => {
      const stored: Record<string, string> = JSON.parse(storedForm(content).storedArguments);
      for (const [name, value] of Object.entries(stored)) if (name in args) expect(value).to.equal(String(args[name]));
    });
  }

  it("ignores an id above 2^63 - 1", () => {
    expect(decodeLog(logOf("StatusUpdated", { tokenId: 2n ** 63n, to: 2 }))).to.equal(undefined);
  });
});

describe("The rate of a payment", () => {
  const paid = (tokenId: bigint) => logOf("CashbackPaid", { purchaseId: tokenId, recipient: BUYER, amount: 5n });
  const rate = (weiPerCent: bigint, more: Partial<RpcLog> = {}): RpcLog => ({
    ...paid(1n),
    topics: [RATE_TOPIC],
    data: `0x${weiPerCent.toString(16).padStart(64, "0")}`,
    ...more,
  });
  const ratesOf = (...logs: RpcLog[]) =>
    decodeEvents(logs).events.map((event) => (event.kind === "CashbackPaid" ? event.weiPerCent : undefined));

  it("is the last one before it that its contract applied in its transaction", () => {
    expect(RATE_TOPIC).to.equal(toEventSelector("event RateApplied(uint256 weiPerCent)"));
    expect(ratesOf(rate(7n), paid(1n), paid(2n), rate(8n), paid(3n))).to.deep.equal([7n, 7n, 8n]);
    expect(decodeEvents([rate(7n)])).to.deep.include({ events: [], ignored: 0 });
  });

  it("is not known of another transaction or contract, or if no column takes it", () => {
    expect(ratesOf(paid(1n))).to.deep.equal([null]);
    expect(ratesOf(rate(7n, { transactionHash: "0xdef" }), paid(1n))).to.deep.equal([null]);
    expect(ratesOf(rate(7n, { address: `0x${"9".repeat(40)}` }), paid(1n))).to.deep.equal([null]);
    expect(ratesOf(rate(2n ** 64n), paid(1n))).to.deep.equal([null]);
  });

  it("is refused as the node's word, as an amount is, if it is no number", () => {
    const inHalves = `0x${"0".repeat(63)}`;
    for (const data of ["0x", "", "many", inHalves, `0x${"0".repeat(64 * 100_000)}`]) {
      expect(() => decodeEvents([rate(7n, { data }), paid(1n)]), "the rate").to.throw(ContradictoryLogsError);
      expect(() => decodeEvents([{ ...paid(1n), data }]), "the amount").to.throw(ContradictoryLogsError);
    }
  });
});

describe("The owner of a new ticket", () => {
  const ZERO = "0x0000000000000000000000000000000000000000";
  const inTransaction = (transactionHash: string, log: RpcLog): RpcLog => ({ ...log, transactionHash });
  const transfer = (tokenId: bigint, to = BUYER, from = ZERO) => logOf("Transfer", { from, to, id: tokenId });
  const minted = (tokenId: bigint, buyer = BUYER) =>
    logOf("PurchaseMinted", { tokenId, buyer, storeId: 1, valueCents: 1, baseBps: 1, bonusBps: 0, saleRef: 0n });
  const confirmed = (tokenId: bigint) => logOf("StatusUpdated", { tokenId, to: 2 });
  const refuses = (logs: RpcLog[], reason: RegExp) =>
    expect(() => decodeEvents(logs)).to.throw(ContradictoryLogsError, reason);

  it("is the one in Transfer, which PurchaseMinted repeats, in batches too", () => {
    expect(TRANSFER_TOPIC).to.equal(toEventSelector(abiOf("Transfer")));
    const logs = [transfer(1n), minted(1n), transfer(2n, RECIPIENT), minted(2n, RECIPIENT), confirmed(1n)];
    const { events, ignored } = decodeEvents(logs);
    expect(events.map(({ kind, tokenId }) => [kind, tokenId])).to.deep.equal([
      ["PurchaseMinted", 1n],
      ["PurchaseMinted", 2n],
      ["StatusUpdated", 1n],
    ]);
    expect(events[1]).to.have.property("buyer", RECIPIENT);
    expect(ignored).to.equal(0);
    expect(decodeEvents([])).to.deep.equal({ events: [], contractEvents: [], ignored: 0 });
  });

  it("is refused if the two differ in wallet, ticket or transaction", () => {
    refuses([transfer(7n, RECIPIENT), minted(7n)], /^Ticket 7 has another owner by `Transfer`.* in block 255$/);
    refuses([transfer(8n), minted(7n)], /^Ticket 7 is minted without/);
    refuses([inTransaction("0xdef", transfer(7n)), minted(7n)], /^Ticket 7 is minted without/);
  });

  it("is refused if one of the two is missing, at any position", () => {
    refuses([minted(7n)], /^Ticket 7 is minted without/);
    refuses([transfer(1n), minted(1n), minted(1n)], /^Ticket 1 is minted without/);
    refuses([transfer(7n)], /^Ticket 7 comes into being without/);
    refuses([transfer(7n), transfer(8n), minted(8n)], /^Ticket 7 comes into being without/);
    refuses([transfer(7n), confirmed(3n), minted(7n)], /^Ticket 7 comes into being without/);
  });

  it("never changes: a ticket that moves is not ours", () => {
    refuses([transfer(7n, BUYER, RECIPIENT), minted(7n)], /^Ticket 7 moves/);
  });

  it("burns it: beside mints, whoever owned it, and never in the place of a mint", () => {
    const burnt = transfer(1n, ZERO, BUYER);
    const { events } = decodeEvents([transfer(1n), minted(1n), burnt, transfer(2n), minted(2n)]);
    expect(events.map(({ kind, tokenId }) => [kind, tokenId])).to.deep.equal([
      ["PurchaseMinted", 1n],
      ["Burnt", 1n],
      ["PurchaseMinted", 2n],
    ]);
    expect(events[1]).to.have.property("owner", BUYER);
    refuses([transfer(2n), burnt, minted(2n)], /^Ticket 2 comes into being without/);
    refuses([burnt, minted(1n)], /^Ticket 1 is minted without/);
    expect(decodeEvents([transfer(2n ** 63n, ZERO, BUYER)])).to.deep.equal({
      events: [],
      contractEvents: [],
      ignored: 1,
    });
  });

  it("counts ids that cannot be purchases of this shop, and applies the same checks", () => {
    const id = 2n ** 63n;
    const ignored = { events: [], contractEvents: [], ignored: 2 };
    expect(decodeEvents([transfer(id), minted(id), confirmed(id)])).to.deep.equal(ignored);
    refuses([minted(id)], /is minted without/);
  });
});

function abiOf(kind: EventContent["kind"] | "Transfer"): AbiEvent {
  const contract = kind === "Transfer" || kind === "Burnt" ? "purchaseNft" : EVENT_TOPICS[kind].contract;
  const abi = ABIS[contract] as readonly { type: string; name?: string }[];
  const found = abi.find((item) => item.type === "event" && item.name === (kind === "Burnt" ? "Transfer" : kind));
  if (!found) throw new Error(`The contract has no event ${kind}`);
  return found as AbiEvent;
}

function logOf(kind: EventContent["kind"] | "Transfer", args: Record<string, unknown>): RpcLog {
  const event = abiOf(kind);
  const plain = event.inputs.filter((input) => !input.indexed);
  return {
    address: BUYER,
    topics: encodeEventTopics({ abi: [event], args }) as Hex[],
    data: encodeAbiParameters(
      plain,
      plain.map((input) => args[input.name ?? ""]),
    ),
    blockNumber: "0xff",
    blockHash: "0x1",
    transactionHash: "0xabc",
    logIndex: "0x10",
  };
}
