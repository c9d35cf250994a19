import { CONTRACT_EVENT_TOPICS } from "../core/chain/contract-events.ts";
import { distributorsOf, ticketContractsOf } from "../core/chain/deployment.ts";
import type { Lane } from "../core/process/rpc/call-budget.ts";
import type { BlockId } from "../core/process/rpc/chain-memory.ts";
import { type JsonRpc, type RpcCall, RpcError } from "../core/process/rpc/json-rpc.ts";
import { ContradictionError, hashIn } from "../core/process/rpc/node-proof.ts";
import { isRecord } from "../core/rules/records.ts";
import type { WalletAddress } from "../core/rules/wallet-address.ts";
import type { Bloom } from "./bloom.ts";
import { EVENT_TOPICS, isRpcLog, type RpcLog, TRANSFER_TOPIC } from "./events.ts";

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
    return blockOf(await this.#rpc.call("eth_getBlockByNumber", ["latest", false]));
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
    const hash = hashIn(shown);
    if (hash === witness.hash) return answers;
    throw new ContradictionError(
      "block",
      `The RPC ${this.name} is of another chain: its block ${witness.number} is ${hash ?? "not there"}, not ${witness.hash}`,
    );
  }

  /** Our logs of a range, both ends included, in chain order. */
  async logs(from: number, to: number): Promise<RpcLog[]> {
    const { method, params } = this.#logsCall(from, to);
    return this.#checked(this.#logsIn(await this.#rpc.call(method, params)), from, to);
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
    const all = this.#logsIn(await this.#rpc.call("eth_getLogs", [{ blockHash: block.hash }]));
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
