import { CONTRACT_EVENT_TOPICS, type ContractEvent, ContradictoryLogsError } from "../core/chain/contract-events.ts";
import { distributorsOf, ticketContractsOf } from "../core/chain/deployment.ts";
import type { Lane } from "../core/process/rpc/call-budget.ts";
import { type JsonRpc, type RpcCall, RpcError } from "../core/process/rpc/json-rpc.ts";
import { ContradictionError } from "../core/process/rpc/node-proof.ts";
import { isRecord } from "../core/rules/records.ts";
import { TorcidaError } from "../core/rules/torcida-error.ts";
import type { WalletAddress } from "../core/rules/wallet-address.ts";
import type { Context } from "./context.ts";
import {
  type ChainEvent,
  type DecodedLogs,
  decodeEvents,
  EVENT_TOPICS,
  type RpcLog,
  TRANSFER_TOPIC,
} from "./events.ts";
import type { BlockId, Chunk, StoredBlock } from "./store/index-store.ts";

/** A block without its transactions. Hashes are lower case; the time is in seconds. */
export type Block = { number: number; hash: string; parentHash: string; timestamp: number; logsBloom: string };

/** The contracts to index, addresses in lower case. */
export type Source = {
  chainId: number;
  purchaseNft: WalletAddress;
  /** The tickets that these continue, the latest first. */
  formerPurchaseNfts?: readonly WalletAddress[];
  cashbackDistributor: WalletAddress;
  /** The retired predecessors of the distributor. */
  formerDistributors?: readonly WalletAddress[];
  /** The block at which each was deployed that continues another, as far as it is known. */
  successorBlocks?: Readonly<Partial<Record<WalletAddress, number>>> | undefined;
  /** The first block that can hold an event of ours. */
  startBlock: number;
};

export type RangeAnswer = { logs: RpcLog[]; end: Block };

const HEADERS_PER_REQUEST = 100;
const SAID_TOPICS = [...CONTRACT_EVENT_TOPICS.keys()];
const TOPICS = [TRANSFER_TOPIC, ...Object.values(EVENT_TOPICS).map(({ topic }) => topic), ...SAID_TOPICS];

/** One chain node with the indexer's requests. Every response is validated; an impossible one is rejected. */
export class ChainNode {
  readonly name: string;
  /** Whose tickets are stored without their contract: the first, if others continue it. */
  readonly firstTickets: WalletAddress | undefined;
  readonly #rpc: JsonRpc;
  readonly #source: Source;
  /** Of all contracts, in lower case. */
  readonly addresses: readonly string[];
  /** The contracts that emit an event, by its topic. */
  readonly #emittersOf: ReadonlyMap<string, readonly string[]>;

  constructor(rpc: JsonRpc, source: Source) {
    this.name = rpc.name;
    this.firstTickets = source.formerPurchaseNfts?.at(-1);
    this.#rpc = rpc;
    this.#source = source;
    const emitters = { purchaseNft: ticketContractsOf(source), cashbackDistributor: distributorsOf(source) };
    const both = Object.values(emitters).flat();
    this.addresses = both;
    this.#emittersOf = new Map([
      [TRANSFER_TOPIC, emitters.purchaseNft],
      ...[...CONTRACT_EVENT_TOPICS].map(([topic, { of }]) => [topic, { ...emitters, both }[of]] as const),
      ...Object.values(EVENT_TOPICS).map(({ topic, contract }) => [topic, emitters[contract]] as const),
    ]);
  }

  /** The same node, for calls that are more or less urgent. */
  in(lane: Lane): ChainNode {
    return new ChainNode(this.#rpc.in(lane), this.#source);
  }

  async head(): Promise<Block> {
    const [head] = await this.#rpc.batch([{ method: "eth_getBlockByNumber", params: ["latest", false] }]);
    return blockOf(head);
  }

  /** The blocks with these numbers, in this order. @throws RpcError if one is missing. */
  async blocks(numbers: readonly number[]): Promise<Block[]> {
    const blocks = await this.blocksWhereKnown(numbers);
    return blocks.map((block, index) => {
      if (block) return block;
      throw new RpcError("inconsistent", `${this.name} does not know block ${numbers[index]}`);
    });
  }

  /** The same, with undefined for blocks that the node does not have. */
  async blocksWhereKnown(numbers: readonly number[]): Promise<(Block | undefined)[]> {
    const requests: Promise<unknown[]>[] = [];
    for (let at = 0; at < numbers.length; at += HEADERS_PER_REQUEST) {
      const calls = numbers.slice(at, at + HEADERS_PER_REQUEST).map(headerCall);
      requests.push(this.#rpc.batch(calls));
    }
    const answers = (await Promise.all(requests)).flat();
    return answers.map((answer, index) => {
      if (answer === null) return undefined;
      const block = blockOf(answer);
      if (block.number === numbers[index]) return block;
      throw new RpcError("inconsistent", `${this.name} returned block ${block.number} for ${numbers[index]}`);
    });
  }

  /**
   * Our logs of a range and its last block, requested together with the witness block. Behind a load balancer, one
   * request guarantees that a single node answered everything, and the witness proves that it is on our chain.
   * @throws ContradictionError if it is not
   */
  async range(from: number, to: number, witness: BlockId | undefined): Promise<RangeAnswer> {
    return this.#rangeOf(TOPICS, from, to, witness);
  }

  /** The same, of what the contracts say beside their tickets' lives. */
  async saidInRange(from: number, to: number, witness: BlockId | undefined): Promise<RangeAnswer> {
    return this.#rangeOf(SAID_TOPICS, from, to, witness);
  }

  async #rangeOf(topics: readonly string[], from: number, to: number, witness: BlockId | undefined) {
    const calls = [this.#logsCall(from, to, topics), headerCall(to)];
    const [logs, end] = await this.#witnessed(calls, witness);
    return { logs: this.#checked(this.#logsIn(logs), from, to), end: this.#blockAt(end, to) };
  }

  /** A block from a node that has the witness block. @throws ContradictionError if it does not */
  async witnessedBlock(number: number, witness: BlockId | undefined): Promise<Block> {
    const [block] = await this.#witnessed([headerCall(number)], witness);
    return this.#blockAt(block, number);
  }

  async #witnessed(calls: readonly RpcCall[], witness: BlockId | undefined): Promise<unknown[]> {
    if (!witness) return this.#rpc.batch(calls);
    const [shown, ...answers] = await this.#rpc.batch([headerCall(witness.number), ...calls]);
    const hash = isRpcBlock(shown) ? shown.hash : undefined;
    if (hash === witness.hash) return answers;
    throw new ContradictionError(
      "block",
      `The RPC ${this.name} is of another chain: its block ${witness.number} is ${hash ?? "not there"}, not ${witness.hash}`,
    );
  }

  /** Our logs of a range, both ends included, in chain order. */
  async logs(from: number, to: number): Promise<RpcLog[]> {
    const [logs] = await this.#rpc.batch([this.#logsCall(from, to)]);
    return this.#checked(this.#logsIn(logs), from, to);
  }

  #logsCall(from: number, to: number, topics: readonly string[] = TOPICS): RpcCall {
    const filter = { address: this.addresses, fromBlock: hex(from), toBlock: hex(to), topics: [topics] };
    return { method: "eth_getLogs", params: [filter] };
  }

  #blockAt(answer: unknown, number: number): Block {
    if (answer === null) throw new RpcError("inconsistent", `${this.name} does not know block ${number}`);
    const block = blockOf(answer);
    if (block.number !== number) throw this.#lie(`block ${block.number} for ${number}`);
    return block;
  }

  /**
   * Our logs of exactly this block. All its logs are read and must reproduce its bloom, so none can be omitted.
   * @throws RpcError, also if the node no longer has the block
   */
  async exactLogsOf(block: Block, bloom: Bloom): Promise<RpcLog[]> {
    const [logs] = await this.#rpc.batch([{ method: "eth_getLogs", params: [{ blockHash: block.hash }] }]);
    const all = this.#logsIn(logs);
    if (!bloom.isOf(block.logsBloom, all)) throw this.#lie(`other logs of block ${block.number} than its bloom says`);
    if (all.some((log) => log.blockHash !== block.hash)) throw this.#lie(`other logs than of block ${block.hash}`);
    const ours = all.filter((log) => this.#emittersOf.get(log.topics[0] ?? "")?.includes(log.address.toLowerCase()));
    return this.#checked(ours, block.number, block.number);
  }

  #logsIn(answer: unknown): RpcLog[] {
    if (!Array.isArray(answer)) throw this.#lie("logs that are not a list");
    if (!answer.every(isRpcLog)) throw this.#lie("a log without its fields");
    return answer;
  }

  /** Drops foreign logs; refuses logs that no honest node returns. */
  #checked(logs: readonly RpcLog[], from: number, to: number): RpcLog[] {
    const ours: RpcLog[] = [];
    let lastNumber = -1;
    let lastIndex = -1;
    let lastHash = "";
    for (const log of logs) {
      const number = Number(log.blockNumber);
      const index = Number(log.logIndex);
      const emitters = this.#emittersOf.get(log.topics[0] ?? "");
      if (!(number >= from && number <= to)) throw this.#lie(`a log of block ${number} for ${from} to ${to}`);
      if (log.removed) throw this.#lie(`a removed log of block ${number}`);
      if (number === lastNumber) {
        if (!(index > lastIndex)) throw this.#lie(`logs of block ${number} twice or out of order`);
        if (log.blockHash !== lastHash) throw this.#lie(`two hashes for block ${number}`);
      } else if (number < lastNumber) throw this.#lie(`block ${number} after ${lastNumber}`);
      if (emitters === undefined) throw this.#lie(`an event that was not asked for in block ${number}`);
      const address = log.address.toLowerCase();
      if (!this.addresses.includes(address)) throw this.#lie(`a log of the contract ${address}`);
      lastNumber = number;
      lastIndex = index;
      lastHash = log.blockHash;
      if (emitters.includes(address)) ours.push(log);
    }
    return ours;
  }

  #lie(what: string): RpcError {
    return new RpcError("inconsistent", `${this.name} returned ${what}`);
  }
}

export function blockOf(block: unknown): Block {
  if (!isRpcBlock(block)) throw new RpcError("inconsistent", "The node does not know its own newest block");
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: Number(block.timestamp),
    logsBloom: block.logsBloom,
  };
}

const BLOCK_FIELDS = ["number", "hash", "parentHash", "timestamp", "logsBloom"] as const;

export function isRpcBlock(block: unknown): block is Record<(typeof BLOCK_FIELDS)[number], string> {
  return isRecord(block) && BLOCK_FIELDS.every((field) => typeof block[field] === "string");
}

function headerCall(number: number): RpcCall {
  return { method: "eth_getBlockByNumber", params: [hex(number), false] };
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

/** A range after reading: only what a chunk needs, without the raw response. */
export type ReadRange = { to: BlockId; events: ChainEvent[]; contractEvents: ContractEvent[]; blocks: StoredBlock[] };

/**
 * Reads a range of final blocks: the logs, in one request with the range's last block and the witness, and the time of
 * each of their blocks, which is asked for where the logs do not have it. `logs` and `durationMs` are of the first.
 * @throws RpcError, ContradictionError
 */
export async function readRange(
  context: Pick<Context, "log" | "metrics">,
  node: ChainNode,
  { from, to, witness }: { from: number; to: number; witness: BlockId | undefined },
): Promise<{ read: ReadRange; logs: number; durationMs: number }> {
  const started = performance.now();
  const { logs, end } = await node.range(from, to, witness);
  const durationMs = performance.now() - started;
  const otherThanItsHeader = (number: number) =>
    new RpcError("inconsistent", `${node.name} returned logs of a different block ${number} than its header`);
  const blocks = new Map<number, StoredBlock>();
  const untimed: number[] = [];
  for (const log of logs) {
    const number = Number(log.blockNumber);
    if (blocks.has(number)) continue;
    const timestamp = log.blockTimestamp ? Number(log.blockTimestamp) : -1;
    if (timestamp < 0) untimed.push(number);
    blocks.set(number, { number, hash: log.blockHash, timestamp });
  }
  for (const block of await node.blocks(untimed)) {
    const known = blocks.get(block.number);
    if (known?.hash !== block.hash) throw otherThanItsHeader(block.number);
    known.timestamp = block.timestamp;
  }
  const sameAsEnd = blocks.get(to);
  if (sameAsEnd && sameAsEnd.hash !== end.hash) throw otherThanItsHeader(to);
  blocks.set(to, { number: to, hash: end.hash, timestamp: end.timestamp });
  const read = { to: { number: to, hash: end.hash }, ...decodeLogs(context, node, logs), blocks: [...blocks.values()] };
  return { read, logs: logs.length, durationMs };
}

// Reading block by block ------------------------------------------------------------------------------------------------

/** The block does not follow the last indexed one, so there was a reorg. */
export class NotLinkedError extends TorcidaError {
  override readonly docs = "docs/product.md#reorg";
}

/** For up to this many blocks, all logs of each block are requested by hash and checked against its bloom. */
const EXACT_BLOCKS = 64;

type LinkedRange = {
  previous: BlockId | undefined;
  from: number;
  to: number;
  head?: Block;
  blocksPerRequest?: number;
};

/**
 * Reads the blocks after the cursor up to `to`, each linked to the previous one by its parent hash. Invariant: the first
 * one's parent is the cursor. Without a bloom, logs are checked only against the blocks' hashes.
 * @param blocksPerRequest For how many blocks logs are requested at once.
 * @throws NotLinkedError, RpcError
 */
export async function readLinked(
  context: Pick<Context, "log" | "metrics" | "source">,
  node: ChainNode,
  bloom: Bloom | undefined,
  { previous, from, to, head, blocksPerRequest = to - from + 1 }: LinkedRange,
): Promise<Chunk> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const isHead = head?.number === to && from === to;
  // Before the logs: those of a fork that replaces these headers in between are noticed by their block's hash. Logs read
  // first would be noticed only if there are any, and the new fork's would be missing.
  const blocks = isHead ? [head] : await node.blocks(numbers);
  assertLinked(previous, blocks);
  const candidates = bloom
    ? blocks.filter(({ logsBloom }) => node.addresses.some((address) => bloom.mayHold(logsBloom, address)))
    : blocks;
  const logs =
    bloom && candidates.length <= EXACT_BLOCKS
      ? (await Promise.all(candidates.map((block) => node.exactLogsOf(block, bloom)))).flat()
      : assertOfBlocks(node, await logsOfRange(node, { from, to, blocksPerRequest }), blocks, candidates);
  const last = blocks.at(-1);
  if (!last) throw new Error(`No block from ${from} to ${to}`);
  return {
    previous,
    cursor: { number: last.number, hash: last.hash },
    ...decodeLogs(context, node, logs),
    blocks: blocks.map(({ number, hash, timestamp }) => ({ number, hash, timestamp })),
  };
}

function assertLinked(previous: BlockId | undefined, blocks: readonly Block[]): void {
  let parent = previous;
  for (const block of blocks) {
    if (parent && block.parentHash !== parent.hash) {
      throw new NotLinkedError(`Block ${block.number} follows ${block.parentHash}, not ${parent.hash}`);
    }
    parent = block;
  }
}

async function logsOfRange(
  node: ChainNode,
  { from, to, blocksPerRequest }: { from: number; to: number; blocksPerRequest: number },
): Promise<RpcLog[]> {
  const requests: Promise<RpcLog[]>[] = [];
  for (let at = from; at <= to; at += blocksPerRequest) {
    requests.push(node.logs(at, Math.min(to, at + blocksPerRequest - 1)));
  }
  return (await Promise.all(requests)).flat();
}

/** Checks the logs of a range against the hashes of its blocks and, by the candidates, against their blooms. */
function assertOfBlocks(
  node: ChainNode,
  logs: readonly RpcLog[],
  blocks: readonly Block[],
  candidates: readonly Block[],
): readonly RpcLog[] {
  const first = blocks[0]?.number ?? 0;
  const mayHoldLogs = new Set(candidates.map((block) => block.number));
  for (const log of logs) {
    const number = Number(log.blockNumber);
    if (log.blockHash !== blocks[number - first]?.hash) {
      throw new RpcError("inconsistent", `${node.name} returned logs of a different block ${number} than its header`);
    }
    if (!mayHoldLogs.has(number)) {
      throw new RpcError("inconsistent", `${node.name} returned logs that block ${number} cannot contain`);
    }
  }
  return logs;
}

// Logs and blooms -------------------------------------------------------------------------------------------------------

const LOG_TEXTS = ["address", "data", "blockNumber", "blockHash", "transactionHash", "logIndex"] as const;

function isRpcLog(log: unknown): log is RpcLog {
  return isRecord(log) && LOG_TEXTS.every((field) => isText(log[field])) && isTexts(log.topics);
}

const isText = (value: unknown) => typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

/**
 * Decodes a node's logs. Ids that cannot be purchases of ours are skipped with a warning.
 * @throws RpcError if the logs contradict each other, so that the request is retried, perhaps on another node
 */
export function decodeLogs(
  { log, metrics }: Pick<Context, "log" | "metrics">,
  node: Pick<ChainNode, "name" | "firstTickets">,
  logs: readonly RpcLog[],
): Omit<DecodedLogs, "ignored"> {
  const { ignored, ...decoded } = decodeOrRefuse(node, logs);
  if (ignored > 0) {
    metrics.count("ignored_events", ignored);
    const from = Number(logs[0]?.blockNumber);
    log.warn({ ignored, from }, "Ignored events with an id above 2^63 - 1, which cannot be a purchase of this shop");
  }
  return decoded;
}

function decodeOrRefuse(
  { name, firstTickets }: Pick<ChainNode, "name" | "firstTickets">,
  logs: readonly RpcLog[],
): DecodedLogs {
  try {
    return decodeEvents(logs, firstTickets);
  } catch (error) {
    if (!(error instanceof ContradictoryLogsError)) throw error;
    throw new RpcError("inconsistent", `${name} returned contradictory logs: ${error.message}`);
  }
}

/** A block's `logsBloom`. Yellow Paper, 4.4.3: three bits of 2,048 for each address and topic. */
type BloomInput = { address: string; topics: readonly string[] };

const BLOOM_BYTES = 256;

export type Bloom = {
  /** Whether a block with this bloom can contain a log of this address. `false` is certain. */
  mayHold(logsBloom: string, address: string): boolean;
  /** Whether exactly these logs produce this bloom. */
  isOf(logsBloom: string, logs: readonly BloomInput[]): boolean;
};

/** Loaded after the backfill, which does not need it: the hash function takes time to load. */
export async function openBloom(): Promise<Bloom> {
  const { keccak256 } = await import("viem/utils");
  const known = new Map<string, [number, number][]>();

  /** Three pairs: the index of a byte, and a bit in it. */
  const bitsOf = (value: string): [number, number][] => {
    const cached = known.get(value);
    if (cached) return cached;
    const hash = keccak256(`0x${value.slice(2)}`);
    const bits = [0, 1, 2].map((pair): [number, number] => {
      const bit = Number(`0x${hash.slice(2 + pair * 4, 6 + pair * 4)}`) & 2047;
      return [BLOOM_BYTES - 1 - (bit >> 3), bit & 7];
    });
    if (known.size < 1_000) known.set(value, bits);
    return bits;
  };

  return {
    mayHold: (logsBloom, address) =>
      bitsOf(address).every(
        ([byte, bit]) => ((Number(`0x${logsBloom.slice(2 + byte * 2, 4 + byte * 2)}`) >> bit) & 1) === 1,
      ),
    isOf(logsBloom, logs) {
      const bloom = new Uint8Array(BLOOM_BYTES);
      for (const log of logs) {
        for (const value of [log.address.toLowerCase(), ...log.topics]) {
          for (const [byte, bit] of bitsOf(value)) bloom[byte] = (bloom[byte] ?? 0) | (1 << bit);
        }
      }
      return `0x${Buffer.from(bloom).toString("hex")}` === logsBloom;
    },
  };
}
