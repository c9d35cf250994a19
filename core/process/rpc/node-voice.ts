import { isRecord } from "../../rules/records.ts";
import { LANES, type Lane } from "./call-budget.ts";
import { JsonRpc, RpcError, type RpcObserver } from "./json-rpc.ts";
import { hashIn } from "./node-proof.ts";

/**
 * A call whose cost somebody else sets: a contract that a stranger chose runs in it. `mostBytes` of `to`'s answer to `data`
 * are read. Or the code of an address.
 */
export type CostlyCall = { to?: string; data: string; gas?: bigint; mostBytes?: number } | { codeOf: string };

/** What a node said to it: hex, or null if the call has no answer (it reverted, ran out of gas, or was too long). */
export type Said = `0x${string}` | null;

/** How much gas a stranger's contract may burn. */
const STRANGERS_GAS = 300_000n;
/** Where a word is expected. */
const WORD_ANSWER_BYTES = 64;
/** JSON around a result, and the reason of a revert. */
const ENVELOPE_BYTES = 2_048;
const PLAIN_MS = 2_000;
/** A costly call may take this much longer than the node's usual answer. */
const BEYOND_MEDIAN_MS = 250;
const REMEMBERED = 15;
const SOCKETS = 4;

/** EIP-170: no code is longer. */
const LONGEST_CODE_BYTES = 24_576;

/**
 * One configured node, on a connection of its own: what is asked here delays no other request of this process, and says
 * nothing about the node's health.
 */
export class NodeVoice {
  readonly name: string;
  /** Two voices of one host are one party. */
  readonly host: string;
  readonly #rpc: JsonRpc;
  /** How long it took to answer plain questions, newest last. */
  readonly #tookMs: number[] = [];

  private constructor(url: string, rpc: JsonRpc) {
    this.name = rpc.name;
    this.host = new URL(url).hostname;
    this.#rpc = rpc;
  }

  static async open(url: string, observe?: RpcObserver): Promise<NodeVoice> {
    const options = { timeoutMs: PLAIN_MS, maxSockets: SOCKETS, ...(observe ? { observe } : {}) };
    return new NodeVoice(url, await JsonRpc.open(url, options));
  }

  /** The number of its newest block. @throws RpcError */
  async head(): Promise<number> {
    const head = Number(await this.#plain("eth_blockNumber", []));
    if (!Number.isSafeInteger(head) || head < 0) throw new RpcError("inconsistent", `${this.name} has no newest block`);
    return head;
  }

  /** @throws RpcError `no-state` if it does not have the block */
  async hashOf(block: number): Promise<string> {
    const found = await this.#plain("eth_getBlockByNumber", [hexOf(block), false]);
    const hash = hashIn(found);
    if (!hash || !isRecord(found) || Number(found.number) !== block) {
      throw new RpcError("no-state", `${this.name} does not have block ${block}`);
    }
    return hash;
  }

  /** At a block, or the newest one. @throws RpcError if the node does not answer, or has that block's state no more */
  async ask(call: CostlyCall, block?: number): Promise<Said> {
    const { method, params, mostBytes } = requestOf(call);
    try {
      const at = block === undefined ? "latest" : hexOf(block);
      const limits = { timeoutMs: this.#medianMs() + BEYOND_MEDIAN_MS, maxBytes: 2 * mostBytes + ENVELOPE_BYTES };
      const result = await this.#rpc.call(method, [...params, at], limits);
      const isHex = typeof result === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(result);
      return isHex && result.length <= 2 + 2 * mostBytes ? (result.toLowerCase() as Said) : null;
    } catch (error) {
      if (error instanceof RpcError && isOfTheCall(error)) return null;
      throw error;
    }
  }

  get calls(): { rpc: string; lane: Lane; count: number }[] {
    return LANES.map((lane) => ({ rpc: this.name, lane, count: this.#rpc.counts[lane] }));
  }

  close(): void {
    this.#rpc.close();
  }

  async #plain(method: string, params: readonly unknown[]): Promise<unknown> {
    const started = performance.now();
    const answer = await this.#rpc.call(method, params, { maxBytes: BLOCK_BYTES });
    this.#tookMs.push(performance.now() - started);
    if (this.#tookMs.length > REMEMBERED) this.#tookMs.shift();
    return answer;
  }

  #medianMs(): number {
    return this.#tookMs.toSorted((a, b) => a - b)[Math.floor(this.#tookMs.length / 2)] ?? 0;
  }
}

/** A block's head with the hashes of its transactions. */
const BLOCK_BYTES = 1_048_576;

/** The block comes after the parameters. */
function requestOf(call: CostlyCall): { method: string; params: readonly unknown[]; mostBytes: number } {
  if ("codeOf" in call) return { method: "eth_getCode", params: [call.codeOf], mostBytes: LONGEST_CODE_BYTES };
  const { gas = STRANGERS_GAS, mostBytes = WORD_ANSWER_BYTES, ...asked } = call;
  return { method: "eth_call", params: [{ ...asked, gas: hexOf(gas) }], mostBytes };
}

/** The contract did it, not the node. */
function isOfTheCall({ failure, message }: RpcError): boolean {
  return failure === "refused" || (failure === "too-large" && !/timed? ?out/i.test(message));
}

function hexOf(number: number | bigint): string {
  return `0x${number.toString(16)}`;
}
