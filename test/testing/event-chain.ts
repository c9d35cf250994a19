import { encodeAbiParameters, type Hex, keccak256, pad, toBytes, toHex } from "viem";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { Anvil } from "./anvil.ts";

/** The address of the contract that emits the events of a generated chain. */
export const PURCHASE_NFT = "0x1111111111111111111111111111111111111111";
export const CASHBACK_DISTRIBUTOR = "0x2222222222222222222222222222222222222222";

/**
 * Emits the logs of its input. A record is ten words: the number of topics, the length of the data, four topics, four words
 * of data. From: `for { let p := 0 } lt(p, calldatasize()) { p := add(p, 320) } { calldatacopy(0, add(p, 192), length) log(…) }`
 * What follows it answers any call with the address of the NFT, as a distributor answers `purchaseNFT()`; the NFT itself with
 * nobody, as it answers `predecessor()`.
 */
const EMITTER_CODE =
  "0x60806040525f5b3681101560765760208101358060c083015f37604082013560608301356080840135843560018114604e576002811460565760038114605f5760a0860135828486885fa46066565b83855fa16066565b8284865fa26066565b818385875fa35b5050505050610140810190506006565b";

const WORDS_OF_DATA = 4;
const WORDS_OF_TOPICS = 4;

const SIGNATURES = {
  Transfer: "Transfer(address,address,uint256)",
  Locked: "Locked(uint256)",
  PurchaseMinted: "PurchaseMinted(uint256,address,uint16,uint40,uint16,uint16,uint64)",
  StatusUpdated: "StatusUpdated(uint256,uint8)",
  MetadataUpdate: "MetadataUpdate(uint256)",
  StoreRegistered: "StoreRegistered(uint16,string)",
  CashbackPaid: "CashbackPaid(uint256,address,uint256)",
  CashbackDeferred: "CashbackDeferred(uint256,address,uint256)",
  RateApplied: "RateApplied(uint256)",
  CashbackSkipped: "CashbackSkipped(uint256)",
} as const;

/** A log to emit. */
export type EventRecord = { from: "nft" | "distributor"; topics: Hex[]; data: Hex };

const TOPICS = Object.fromEntries(
  Object.entries(SIGNATURES).map(([name, signature]) => [name, keccak256(toBytes(signature))]),
) as Record<keyof typeof SIGNATURES, Hex>;

const word = (value: bigint | number): Hex => pad(toHex(value), { size: 32 });
const addressWord = (address: string): Hex => pad(address as Hex, { size: 32 });
const words = (...values: (bigint | number)[]): Hex =>
  `0x${values.map((value) => BigInt(value).toString(16).padStart(64, "0")).join("")}`;

export type MintOfChain = {
  tokenId: bigint;
  buyer: string;
  storeId?: number;
  valueCents?: number;
  cashbackBps?: number;
  bonusBps?: number;
  saleRef?: bigint;
};

/** The events of one mint, in the contract's order. */
export function mintEvents(mint: MintOfChain): EventRecord[] {
  const { tokenId, buyer, storeId = 1, valueCents = 10_000, cashbackBps = 250, bonusBps = 0, saleRef = 0n } = mint;
  return [
    { from: "nft", topics: [TOPICS.Transfer, word(0), addressWord(buyer), word(tokenId)], data: "0x" },
    { from: "nft", topics: [TOPICS.Locked], data: words(tokenId) },
    {
      from: "nft",
      topics: [TOPICS.PurchaseMinted, word(tokenId), addressWord(buyer), word(storeId)],
      data: words(valueCents, cashbackBps, bonusBps, saleRef),
    },
  ];
}

/** The events of one confirmation (`to` 2) or cancellation (`to` 3). */
export function statusEvents(tokenId: bigint, to: 2 | 3 = 2): EventRecord[] {
  return [
    { from: "nft", topics: [TOPICS.StatusUpdated, word(tokenId)], data: words(to) },
    { from: "nft", topics: [TOPICS.MetadataUpdate], data: words(tokenId) },
  ];
}

export function paymentEvent(
  tokenId: bigint,
  recipient: string,
  amountWei: bigint,
  kind: "CashbackPaid" | "CashbackDeferred" = "CashbackPaid",
): EventRecord {
  return {
    from: "distributor",
    topics: [TOPICS[kind], word(tokenId), addressWord(recipient)],
    data: words(amountWei),
  };
}

/** The rate of the payments that follow in its transaction. */
export function rateEvent(weiPerCent: bigint): EventRecord {
  return { from: "distributor", topics: [TOPICS.RateApplied], data: words(weiPerCent) };
}

export function storeEvent(storeId: number, name: string): EventRecord {
  return {
    from: "nft",
    topics: [TOPICS.StoreRegistered, word(storeId)],
    data: encodeAbiParameters([{ type: "string" }], [name]),
  };
}

/** The address of a numbered buyer. */
export function buyerOf(number: number): WalletAddress {
  return `0x${(0xb0b0_0000_0000 + number).toString(16).padStart(40, "0")}`;
}

/** Installs the emitter at the addresses of the two contracts, or at the given ones: first the NFT's. */
export async function placeEmitters(anvil: Anvil, addresses: readonly string[] = [PURCHASE_NFT, CASHBACK_DISTRIBUTOR]) {
  const [nft = ""] = addresses;
  const answerOf = (address: string) => `73${address === nft ? "00".repeat(20) : nft.slice(2)}5f5260205ff3`;
  for (const address of addresses) await anvil.request("anvil_setCode", address, EMITTER_CODE + answerOf(address));
}

/** The input that makes the emitter emit these logs. */
export function emitterInput(records: readonly EventRecord[]): Hex {
  const parts = records.map(({ topics, data }) => {
    const body = data.slice(2);
    return [
      words(topics.length, body.length / 2).slice(2),
      ...topics.map((topic) => topic.slice(2)),
      "0".repeat(64 * (WORDS_OF_TOPICS - topics.length)),
      body.padEnd(64 * WORDS_OF_DATA, "0"),
    ].join("");
  });
  return `0x${parts.join("")}`;
}

const SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/** Sends one transaction per run of events of one contract, in order; they stay pending until a block is mined. */
export async function emit(anvil: Anvil, records: readonly EventRecord[], to = contractAddress): Promise<string[]> {
  const hashes: string[] = [];
  for (let start = 0; start < records.length; ) {
    const from = records[start]?.from ?? "nft";
    let end = start + 1;
    while (end < records.length && records[end]?.from === from) end += 1;
    hashes.push(await send(anvil, to(from), emitterInput(records.slice(start, end))));
    start = end;
  }
  return hashes;
}

function send(anvil: Anvil, to: string, data: Hex): Promise<string> {
  return anvil.request<string>("eth_sendTransaction", { from: SENDER, to, data, gas: toHex(25_000_000) });
}

function contractAddress(from: EventRecord["from"]): string {
  return from === "nft" ? PURCHASE_NFT : CASHBACK_DISTRIBUTOR;
}
