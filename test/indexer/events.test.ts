import { expect } from "chai";
import { type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex, toEventSelector } from "viem";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import {
  argumentsOf,
  contentOf,
  decodeLog,
  EVENT_TOPICS,
  type EventContent,
  type RpcLog,
} from "../../indexer/events.ts";

const ABIS = { purchaseNft: purchaseNftAbi, cashbackDistributor: cashbackDistributorAbi };
const BUYER = "0x00000000000000000000000000000000000b0b00";
const RECIPIENT = "0xffffffffffffffffffffffffffffffffffffffff";

/** The largest values of each kind, as the contract would emit them, and the expected event. */
const SAMPLES: { args: Record<string, unknown>; content: EventContent }[] = [
  {
    args: {
      ...{ tokenId: 2n ** 63n - 1n, buyer: BUYER, storeId: 65_535 },
      ...{ valueCents: 2 ** 40 - 1, cashbackBps: 10_000, bonusBps: 250 },
    },
    content: {
      ...{ kind: "PurchaseMinted", tokenId: 2n ** 63n - 1n, buyer: BUYER, storeId: 65_535 },
      ...{ valueCents: 2 ** 40 - 1, cashbackBps: 10_000, bonusBps: 250 },
    },
  },
  { args: { tokenId: 8n, from: 1, to: 3 }, content: { kind: "StatusUpdated", tokenId: 8n, from: 1, to: 3 } },
  {
    args: { purchaseId: 9n, recipient: RECIPIENT, amount: 2n ** 96n - 1n },
    content: { kind: "CashbackPaid", tokenId: 9n, recipient: RECIPIENT, amountWei: 2n ** 96n - 1n },
  },
  {
    args: { purchaseId: 10n, recipient: BUYER, amount: 1n },
    content: { kind: "CashbackDeferred", tokenId: 10n, recipient: BUYER, amountWei: 1n },
  },
];

describe("Events", () => {
  it("has a sample of every kind", () => {
    expect(SAMPLES.map(({ content }) => content.kind)).to.have.members(Object.keys(EVENT_TOPICS));
  });

  for (const { args, content } of SAMPLES) {
    it(`reads ${content.kind} as the contract's ABI writes it`, () => {
      const { topic } = EVENT_TOPICS[content.kind];
      expect(topic).to.equal(toEventSelector(abiOf(content.kind)));
      const position = { blockNumber: 255, logIndex: 16, transactionHash: "0xabc" };
      expect(decodeLog(logOf(content.kind, args))).to.deep.equal({ ...position, ...content });
    });

    it(`gives ${content.kind} back as it was stored`, () => {
      expect(contentOf(content.kind, content.tokenId, argumentsOf(content))).to.deep.equal(content);
    });
  }

  it("ignores an id above 2^63 - 1", () => {
    expect(decodeLog(logOf("StatusUpdated", { tokenId: 2n ** 63n, from: 1, to: 2 }))).to.equal(undefined);
  });
});

function abiOf(kind: EventContent["kind"]): AbiEvent {
  const abi = ABIS[EVENT_TOPICS[kind].contract] as readonly { type: string; name?: string }[];
  const found = abi.find((item) => item.type === "event" && item.name === kind);
  if (!found) throw new Error(`The contract has no event ${kind}`);
  return found as AbiEvent;
}

function logOf(kind: EventContent["kind"], args: Record<string, unknown>): RpcLog {
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
