import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../platform/log.ts";
import type { Metrics } from "../metrics.ts";
import { RpcError } from "./json-rpc.ts";
import { ChainNode, type Source } from "./node.ts";

/** Every RPC URL leads to another chain than the configured one. */
export class WrongChainError extends Error {
  override readonly name = "WrongChainError";
}

type Member = {
  node: ChainNode;
  /** `unknown` until its chain id was read, and again after it was away: another node may stand there by then. */
  chain: "unknown" | "right" | "wrong";
  failures: number;
  /** Not asked before this time, unless no other is left. */
  restUntil: number;
  /** Its newest block at the last look. */
  head: number;
};

export type NodePoolParameters = {
  urls: readonly string[];
  source: Source;
  timeoutMs: number;
  metrics: Metrics;
  log: Logger;
};

const FIRST_REST_MS = 100;
const LONGEST_REST_MS = 5_000;
const WRONG_CHAIN_REST_MS = 30_000;
/** Further behind the best of them, a node is asked only when no other is left. */
const BEHIND_BLOCKS = 5;

/** Several nodes of one chain: the first healthy one is asked, the others stand by. */
export class NodePool {
  readonly #members: Member[];
  readonly #source: Source;
  readonly #log: Logger;
  #inUse = "";

  private constructor(members: Member[], source: Source, log: Logger) {
    this.#members = members;
    this.#source = source;
    this.#log = log;
  }

  static async open({ urls, source, timeoutMs, metrics, log }: NodePoolParameters): Promise<NodePool> {
    const nodes = await Promise.all(
      urls.map((url) => ChainNode.open(url, source, { timeoutMs, observe: (call) => metrics.rpcCalled(call) })),
    );
    const members = nodes.map((node): Member => ({ node, chain: "unknown", failures: 0, restUntil: 0, head: 0 }));
    return new NodePool(members, source, log);
  }

  /** The node that answered last. */
  get inUse(): string {
    return this.#inUse;
  }

  get size(): number {
    return this.#members.length;
  }

  /** Looks at every node once. A node that is away is no reason to stop. @throws WrongChainError */
  async refuseWrongChain(): Promise<void> {
    const found = await Promise.all(this.#members.map((member) => this.#chainIdOf(member)));
    if (!this.#members.every((member) => member.chain === "wrong")) return;
    const [id] = found;
    const { node } = this.#members[0] as Member;
    throw new WrongChainError(
      `${node.name} is a node of chain ${id}, not of ${this.#source.chainId}; check RPC_URLS and CHAIN_ID`,
    );
  }

  /**
   * Asks the best node, and where it fails the next. An answer that says that less is to be asked for is the caller's to
   * hear at once.
   * @throws RpcError of the last one
   */
  async ask<T>(question: (node: ChainNode) => Promise<T>): Promise<T> {
    let last: RpcError | undefined;
    for (const member of this.#inOrder()) {
      try {
        const wait = member.restUntil - performance.now();
        if (wait > 0) await delay(wait);
        if (member.chain !== "right" && !(await this.#isRightChain(member))) continue;
        const answer = await question(member.node);
        member.failures = 0;
        this.#inUse = member.node.name;
        return answer;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (error.failure === "too-large") throw error;
        this.#failed(member, error);
        last = error;
      }
    }
    throw last ?? new RpcError("refused", "Every node is of another chain");
  }

  /** What each other node than `node` answers; one that fails is left out. */
  async askOthers<T>(node: ChainNode, question: (node: ChainNode) => Promise<T>): Promise<T[]> {
    const others = this.#members.filter((member) => member.node !== node && member.chain !== "wrong");
    const answers = await Promise.allSettled(
      others.map(async (member) => {
        if (member.chain !== "right" && !(await this.#isRightChain(member))) throw new Error("wrong chain");
        return question(member.node);
      }),
    );
    return answers.filter((answer) => answer.status === "fulfilled").map((answer) => answer.value);
  }

  /** Puts a node back that answered what cannot be true together with what others say. */
  distrust(node: ChainNode, reason: string): void {
    const member = this.#members.find((one) => one.node === node);
    if (member) this.#failed(member, new RpcError("inconsistent", reason));
  }

  /** Looks how far each node is, so that one that fell behind is not asked. */
  async compareHeads(): Promise<void> {
    await Promise.all(
      this.#members.map(async (member) => {
        try {
          if (member.chain === "right" || (await this.#isRightChain(member))) {
            member.head = await member.node.headNumber();
          }
        } catch (error) {
          if (error instanceof RpcError) this.#failed(member, error);
        }
      }),
    );
  }

  close(): void {
    for (const { node } of this.#members) node.close();
  }

  #inOrder(): Member[] {
    const now = performance.now();
    const best = Math.max(...this.#members.map((member) => member.head));
    const rank = (member: Member) =>
      (member.chain === "wrong" ? 4 : 0) +
      (member.restUntil > now ? 2 : 0) +
      (best - member.head > BEHIND_BLOCKS ? 1 : 0);
    // A node of another chain is looked at again only after its rest.
    const usable = this.#members.filter((member) => member.chain !== "wrong" || member.restUntil <= now);
    return usable.sort((a, b) => rank(a) - rank(b) || a.restUntil - b.restUntil);
  }

  async #isRightChain(member: Member): Promise<boolean> {
    await this.#readChainId(member);
    return member.chain === "right";
  }

  async #chainIdOf(member: Member): Promise<number | undefined> {
    try {
      return await this.#readChainId(member);
    } catch (error) {
      if (error instanceof RpcError) this.#failed(member, error);
      return undefined;
    }
  }

  async #readChainId(member: Member): Promise<number> {
    const id = await member.node.chainId();
    member.chain = id === this.#source.chainId ? "right" : "wrong";
    if (member.chain === "wrong") {
      member.restUntil = performance.now() + WRONG_CHAIN_REST_MS;
      this.#log.warn({ rpc: member.node.name, chainId: id }, "Refused: a node of another chain");
    }
    return id;
  }

  #failed(member: Member, error: RpcError): void {
    member.failures += 1;
    if (error.failure === "transport" || error.failure === "timeout") member.chain = "unknown";
    const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(10, member.failures - 1));
    member.restUntil = performance.now() + (error.retryAfterMs ?? rest);
    this.#log.warn(
      { rpc: member.node.name, failure: error.failure, reason: error.message },
      "The node failed; the next one is asked",
    );
  }
}
