import { setTimeout as delay } from "node:timers/promises";
import { TorcidaError } from "../../rules/torcida-error.ts";
import type { Logger } from "../log.ts";
import { type CallFigures, LANES, type Lane } from "./call-budget.ts";
import { JsonRpc, type RpcCall, RpcError, type RpcObserver, type RpcOutcome } from "./json-rpc.ts";
import {
  type BlockId,
  type ChainMemory,
  type Contradiction,
  ContradictionError,
  hearNode,
  type KnownChain,
  type Proof,
  proveNode,
  settleWitnessed,
} from "./node-proof.ts";

/** Every node responds, and all of them are on a chain other than the configured one. */
export class WrongChainError extends TorcidaError {
  override readonly docs = "docs/runbook/rpc-away.md";
}

/** `unproven`: not checked yet, or down since then, so another node may be behind the URL now. */
type Trust = "unproven" | Proof["trust"];

type Member<N> = {
  rpc: JsonRpc;
  /** The same, for calls that others wait for. */
  urgent: JsonRpc;
  node: N;
  trust: Trust;
  /** Why it is not verified. */
  reason: string;
  /** Its block at the height of our deep block. */
  otherBlock: BlockId | undefined;
  proving: Promise<boolean> | undefined;
  failures: number;
  /** The last failure since its last response, logged once. */
  failure: string;
  failedAt: number;
  /** Not used before this time unless no other node is left. */
  restUntil: number;
  /** When it last responded while proven, and when it was last proven. */
  answeredAt: number;
  provenAt: number;
  /** Its newest block at the last check. */
  head: number;
};

export type NodePoolParameters<N> = {
  urls: readonly string[];
  chainId: number;
  /** A contract that must have code on the adopted chain; undefined if nothing is deployed yet. */
  contract: string | undefined;
  memory: ChainMemory;
  open: (rpc: JsonRpc) => N;
  timeoutMs: number;
  /** The total time that a call may wait for resting nodes. */
  patienceMs: number;
  /** How often the chain can change; the pool takes its pace from it. */
  blockMs?: number;
  /** How urgent its calls are where nothing else is said. */
  lane?: Lane;
  observe?: RpcObserver;
  /**
   * Whether the deep block may be replaced if every node has the same other one. Only for the indexer, which then
   * rereads the chain; other processes follow the index.
   */
  followsDeepReorgs?: boolean;
  log: Logger;
};

export type NodePoolStatus = {
  readonly isReady: boolean;
  readonly calls: readonly { rpc: string; lane: Lane; count: number }[];
  readonly contradictions: readonly { rpc: string; kind: Contradiction; count: number }[];
};

export type NodeState = { rpc: string; trust: Trust; reason: string; head: number };

const FIRST_REST_MS = 100;
const LONGEST_REST_MS = 5_000;
/** A node that is further behind the best one is used only if no other is left. */
const BEHIND_BLOCKS = 5;
/** How often the nodes are looked after, and all of them proved again, at least; the latter each so many blocks. */
const LOOK_MS = 1_000;
const LOOK_AGAIN_MS = 5_000;
const LOOK_AGAIN_BLOCKS = 20;
const LOOK_TIMEOUT_MS = 2_000;
/** Heads that were read further apart say nothing about each other. */
const HEADS_APART_MS = 3_000;
/** How long after a look that should have heard a node the pool counts as down. */
const SILENCE_MS = 3_000;
const RECALL_MS = 1_000;
/** The least time for a call that shares the time of others. */
const LEAST_MS = 250;
const CONTROL_TIMEOUT_MS = 1_000;
/** `supportsInterface(0x01ffc9a7)`, which is true of both contracts. */
const SUPPORTS_ERC165 = `0x01ffc9a701ffc9a7${"0".repeat(56)}`;
/** How long every node must report the same other block before ours is replaced. */
const DEEP_REORG_MS = 2_000;

/**
 * Several nodes of one chain: the first healthy one is used, the others are standbys. A node is trusted only after it
 * has been verified, initially and after each failure, to be on our chain: chain id, genesis block, and a known deep
 * block.
 */
export class NodePool<N> implements NodePoolStatus {
  readonly #parameters: NodePoolParameters<N>;
  readonly #members: Member<N>[];
  #inUse = "";
  readonly #contradictions = new Map<string, { rpc: string; kind: Contradiction; count: number }>();
  #firstHead: number | undefined;
  /** The replaced deep block; cleared once the index has rolled back. */
  #givenUp: string | undefined;
  #deepReorg: { hash: string; since: number } | undefined;
  /** The cached facts, and when they were read. */
  #known: { chain: KnownChain; at: number } | undefined;

  private constructor(parameters: NodePoolParameters<N>, rpcs: readonly JsonRpc[]) {
    this.#parameters = parameters;
    this.#members = rpcs.map((rpc): Member<N> => {
      const times = { failedAt: -Infinity, restUntil: 0, answeredAt: -Infinity, provenAt: -Infinity };
      const trust = { trust: "unproven" as const, reason: `${rpc.name} was not asked yet` };
      const nothing = { otherBlock: undefined, proving: undefined };
      return {
        rpc,
        urgent: rpc.in("send"),
        node: parameters.open(rpc),
        ...trust,
        ...nothing,
        ...times,
        failures: 0,
        failure: "",
        head: 0,
      };
    });
  }

  static async open<N>(parameters: NodePoolParameters<N>): Promise<NodePool<N>> {
    const { urls, timeoutMs, observe, lane } = parameters;
    const options = { timeoutMs, ...(observe ? { observe } : {}), ...(lane ? { lane } : {}) };
    return new NodePool(parameters, await Promise.all(urls.map((url) => JsonRpc.open(url, options))));
  }

  /** What was learned of the calls that each node takes. */
  get figures(): (CallFigures & { rpc: string })[] {
    return this.#members.map(({ rpc }) => ({ rpc: rpc.name, ...rpc.figures }));
  }

  /** A limit of a node, in calls a second, that an earlier process learned. */
  recallLimit(name: string, allowed: number): void {
    for (const { rpc } of this.#members) if (rpc.name === name) rpc.recall(allowed);
  }

  /** Calls sent to each node, by urgency. */
  get calls(): { rpc: string; lane: Lane; count: number }[] {
    return this.#members.flatMap(({ rpc }) => LANES.map((lane) => ({ rpc: rpc.name, lane, count: rpc.counts[lane] })));
  }

  get #lookMs(): number {
    return Math.max(LOOK_MS, this.#parameters.blockMs ?? 0);
  }

  get #lookAgainMs(): number {
    return Math.max(LOOK_AGAIN_MS, LOOK_AGAIN_BLOCKS * (this.#parameters.blockMs ?? 0));
  }

  get inUse(): string {
    return this.#inUse;
  }

  /** Whether a verified node has responded recently, as of the last check; sends no request. */
  get isReady(): boolean {
    const now = performance.now();
    return this.#members.some(
      (member) => member.trust !== "contradicting" && now - member.answeredAt < this.#lookMs + SILENCE_MS,
    );
  }

  /** The highest head of a verified node at the last check. */
  get head(): number | undefined {
    const heads = this.#members.filter((member) => member.trust === "proven").map((member) => member.head);
    return heads.length === 0 ? undefined : Math.max(...heads);
  }

  /** The head of the first verified node. */
  get firstHead(): number | undefined {
    return this.#firstHead;
  }

  get contradictions() {
    return [...this.#contradictions.values()];
  }

  get states(): NodeState[] {
    return this.#members.map(({ rpc, trust, reason, head }) => ({ rpc: rpc.name, trust, reason, head }));
  }

  /** Why no node is available, in one sentence. */
  get problem(): string {
    return this.#members
      .map(({ trust, reason, rpc }) => (trust === "proven" ? `${rpc.name} is silent` : reason))
      .join("; ");
  }

  /**
   * Checks every node once. An unreachable node may be on our chain, so it does not count; throws only if every node
   * responds and is on another chain.
   * @throws WrongChainError
   */
  async refuseWrongChain(): Promise<void> {
    await Promise.all(this.#members.map((member) => this.#lookAt(member)));
    if (this.#members.every(isOfAnotherChain)) throw new WrongChainError(this.problem);
    if (this.#members.every(({ trust }) => trust !== "proven")) {
      this.#parameters.log.warn({ reason: this.problem }, "No node of the chain responds; waiting for one");
    }
  }

  /** Checks the nodes in the background until the returned function is called. */
  watch(): () => void {
    const ending = new AbortController();
    void (async () => {
      while (!ending.signal.aborted) {
        await this.#look();
        await delay(this.#lookMs, undefined, { signal: ending.signal, ref: false }).catch(() => {});
      }
    })();
    return () => ending.abort();
  }

  /**
   * Asks the best node and, if it fails, the next one. A "too large" error is passed to the caller at once.
   * @throws RpcError of the last node
   */
  async ask<T>(question: (node: N, msLeft: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#parameters.patienceMs;
    let last: RpcError | undefined;
    for (const member of this.#inOrder()) {
      const askedAt = performance.now();
      try {
        const wait = member.restUntil - askedAt;
        if (askedAt + Math.max(0, wait) >= deadline) continue;
        if (wait > 0) await delay(wait);
        if (member.trust !== "proven" && !(await this.#prove(member))) continue;
        const answer = await question(member.node, deadline - performance.now());
        this.#answered(member);
        this.#inUse = member.rpc.name;
        return answer;
      } catch (error) {
        if (error instanceof ContradictionError) {
          this.#contradicts(member, error.kind, error.message);
          continue;
        }
        if (!(error instanceof RpcError)) throw error;
        if (error.failure === "too-large") throw error;
        this.#failed(member, error, askedAt);
        last = error;
      }
    }
    throw last ?? new RpcError("unproven", `No node of the chain is available: ${this.problem}`);
  }

  /**
   * The outcome of each call by itself: whatever one of them does to a node (a strange answer, HTTP 500, silence), it
   * counts neither against the node nor against the other calls, as long as the node answers a harmless call beside
   * them. All of them share `timeoutMs`.
   * @throws RpcError `unproven` if no node answers
   */
  async askEach(calls: readonly RpcCall[], timeoutMs: number, lane: Lane = "read"): Promise<RpcOutcome[]> {
    const deadline = performance.now() + timeoutMs;
    const outcomes = new Map<RpcCall, RpcOutcome>();
    const open = () => calls.filter((call) => isDoubtful(outcomes.get(call)));
    let problem = "";
    for (const member of this.#inOrder()) {
      const askedAt = performance.now();
      const msLeft = deadline - askedAt;
      const rest = Math.max(0, member.restUntil - askedAt);
      if (open().length === 0 || rest >= msLeft || msLeft < LEAST_MS) continue;
      try {
        if (rest > 0) await delay(rest);
        if (member.trust !== "proven" && !(await this.#prove(member))) continue;
        const asked = open();
        const rpc = member.rpc.in(lane);
        const found = await this.#settleEach(rpc, asked, deadline);
        if (found.some(isDoubtful)) await this.#control(rpc);
        for (const [index, call] of asked.entries()) {
          const outcome = found[index];
          if (outcome) outcomes.set(call, outcome);
        }
        this.#answered(member);
        this.#inUse = member.rpc.name;
      } catch (error) {
        if (error instanceof ContradictionError) this.#contradicts(member, error.kind, error.message);
        else if (error instanceof RpcError) this.#failed(member, error, askedAt);
        else throw error;
        problem = error.message;
      }
    }
    return calls.map((call) => {
      const outcome = outcomes.get(call);
      if (!outcome) throw new RpcError("unproven", problem || `No node of the chain is available: ${this.problem}`);
      return outcome;
    });
  }

  /** All in one request; if that fails, each in a request and a connection of its own, at the same time. */
  async #settleEach(rpc: JsonRpc, calls: readonly RpcCall[], deadline: number): Promise<RpcOutcome[]> {
    const msLeft = () => Math.max(LEAST_MS, deadline - performance.now());
    try {
      return await this.settleWitnessed(rpc, calls, calls.length > 1 ? msLeft() / 2 : msLeft());
    } catch (error) {
      if (!(error instanceof RpcError) || isForTheNumber(error)) throw error;
      if (calls.length === 1) return [{ error }];
    }
    const witness = await this.witness();
    return Promise.all(
      calls.map(async (call): Promise<RpcOutcome> => {
        try {
          const [outcome] = await settleWitnessed(rpc, witness, [call], { timeoutMs: msLeft(), isAlone: true });
          return outcome ?? { error: new RpcError("transport", `${rpc.name} returned nothing`) };
        } catch (error) {
          if (error instanceof RpcError) return { error };
          throw error;
        }
      }),
    );
  }

  /** A call of the kind that was asked, which every node of our chain answers. @throws RpcError */
  async #control(rpc: JsonRpc): Promise<void> {
    const { contract } = this.#parameters;
    const call: RpcCall = contract
      ? { method: "eth_call", params: [{ to: contract, data: SUPPORTS_ERC165 }, "latest"] }
      : { method: "eth_blockNumber", params: [] };
    const witness = await this.witness();
    const [outcome] = await settleWitnessed(rpc, witness, [call], { timeoutMs: CONTROL_TIMEOUT_MS, isAlone: true });
    if (outcome && "error" in outcome) throw outcome.error;
  }

  /**
   * Sets a node aside if any other contradicts it, and returns whether one does; failing and unproven ones do not count.
   */
  async overrule(node: N, reason: string, contradicts: (other: N) => Promise<boolean>): Promise<boolean> {
    const others = this.#members.filter((member) => member.node !== node && member.trust !== "contradicting");
    const answers = await Promise.allSettled(
      others.map(
        async (member) => (member.trust === "proven" || (await this.#prove(member))) && contradicts(member.node),
      ),
    );
    if (!answers.some((answer) => answer.status === "fulfilled" && answer.value)) return false;
    const overruled = this.#members.find((member) => member.node === node);
    if (overruled) this.#failed(overruled, new RpcError("inconsistent", reason), performance.now());
    return true;
  }

  /** The block that distinguishes our chain from others; undefined until a node has been verified. */
  async witness(): Promise<BlockId | undefined> {
    const { genesis, deep } = await this.#recall();
    return deep ?? (genesis === undefined ? undefined : { number: 0, hash: genesis });
  }

  /** Sends calls to one node, which proves in the same request that it is on our chain. @throws ContradictionError */
  async settleWitnessed(rpc: JsonRpc, calls: readonly RpcCall[], timeoutMs?: number): Promise<RpcOutcome[]> {
    return settleWitnessed(rpc, await this.witness(), calls, { timeoutMs });
  }

  close(): void {
    for (const { rpc } of this.#members) rpc.close();
  }

  #inOrder(): Member<N>[] {
    const now = performance.now();
    const isBehind = ({ head, provenAt }: Member<N>) =>
      this.#members.some(
        (other) => other.head - head > BEHIND_BLOCKS && Math.abs(other.provenAt - provenAt) < HEADS_APART_MS,
      );
    const rank = (member: Member<N>) =>
      (member.trust === "contradicting" ? 8 : 0) +
      (member.trust === "lacking" ? 4 : 0) +
      (member.restUntil > now ? 2 : 0) +
      (isBehind(member) ? 1 : 0);
    // A dropped node is used again only after its rest.
    const usable = this.#members.filter((member) => member.trust !== "contradicting" || member.restUntil <= now);
    return usable.sort((a, b) => rank(a) - rank(b) || a.restUntil - b.restUntil);
  }

  async #look(): Promise<void> {
    const now = performance.now();
    const isLate = ({ provenAt }: Member<N>) => now - provenAt >= this.#lookAgainMs;
    // All at once, so that their heads can be compared.
    const isTimeForAll = this.#members.some((member) => member.trust === "proven" && isLate(member));
    const due = this.#members.filter(({ trust, restUntil }) => {
      return isTimeForAll || (trust !== "proven" && restUntil - now <= LONGEST_REST_MS);
    });
    await Promise.all(due.map((member) => this.#lookAt(member)));
    await this.#hear();
    if (this.#parameters.followsDeepReorgs) this.#noticeDeepReorg();
  }

  /** Asks a node whether it is still there, unless one answered since the last look: calls that are made anyway count. */
  async #hear(): Promise<void> {
    const since = performance.now() - this.#lookMs + 100;
    const proven = this.#inOrder().filter(({ trust }) => trust === "proven");
    if (proven.some(({ answeredAt }) => answeredAt >= since)) return;
    for (const member of proven) {
      const askedAt = performance.now();
      try {
        const witness = await this.witness();
        const timeoutMs = Math.min(LOOK_TIMEOUT_MS, this.#parameters.timeoutMs);
        if (witness) await hearNode(member.urgent, witness, timeoutMs);
        else if (!(await this.#prove(member))) continue;
        this.#answered(member);
        return;
      } catch (error) {
        if (error instanceof ContradictionError) this.#contradicts(member, error.kind, error.message);
        else if (error instanceof RpcError) this.#failed(member, error, askedAt);
        else this.#parameters.log.warn({ reason: String(error) }, "The nodes could not be checked");
      }
    }
  }

  async #lookAt(member: Member<N>): Promise<void> {
    const askedAt = performance.now();
    try {
      if (await this.#prove(member)) this.#answered(member);
    } catch (error) {
      if (error instanceof RpcError) this.#failed(member, error, askedAt);
      else this.#parameters.log.warn({ reason: String(error) }, "The nodes could not be checked");
    }
  }

  #prove(member: Member<N>): Promise<boolean> {
    member.proving ??= this.#proveOnce(member).finally(() => {
      member.proving = undefined;
    });
    return member.proving;
  }

  async #proveOnce(member: Member<N>): Promise<boolean> {
    const { chainId, contract, memory, timeoutMs } = this.#parameters;
    const { rpc, urgent } = member;
    const facts = { chainId, contract, memory, known: await this.#recall() };
    const proof = await proveNode(urgent, { ...facts, timeoutMs: Math.min(LOOK_TIMEOUT_MS, timeoutMs) });
    if (proof.trust === "lacking") return this.#lacks(member, proof.reason);
    if (proof.trust === "contradicting") {
      return this.#contradicts(member, proof.kind, proof.reason, proof.otherBlock);
    }
    member.head = proof.head;
    this.#firstHead ??= member.head;
    member.provenAt = performance.now();
    if (member.trust !== "proven") {
      this.#parameters.log.info({ rpc: rpc.name, head: member.head }, "The node was verified to be on our chain");
    }
    member.trust = "proven";
    member.reason = "";
    member.restUntil = 0;
    member.otherBlock = undefined;
    return true;
  }

  async #recall(): Promise<KnownChain> {
    if (this.#known && performance.now() - this.#known.at < RECALL_MS) return this.#known.chain;
    const chain = await this.#recallNow();
    this.#known = chain.genesis === undefined ? undefined : { chain, at: performance.now() };
    return chain;
  }

  async #recallNow(): Promise<KnownChain> {
    const known = await this.#parameters.memory.recall();
    const isGivenUp = known.deep !== undefined && known.deep.hash === this.#givenUp;
    if (!isGivenUp) this.#givenUp = undefined;
    return isGivenUp ? { ...known, deep: undefined } : known;
  }

  #answered(member: Member<N>): void {
    if (member.trust !== "proven") return;
    member.failures = 0;
    member.failure = "";
    member.restUntil = 0;
    member.answeredAt = performance.now();
  }

  #lacks(member: Member<N>, reason: string): false {
    if (member.reason !== reason)
      this.#parameters.log.warn({ rpc: member.rpc.name, reason }, "The node cannot be used yet");
    member.trust = "lacking";
    member.reason = reason;
    member.restUntil = performance.now() + LONGEST_REST_MS;
    return false;
  }

  /** Counts each time; logs only the first of a series. */
  #contradicts(member: Member<N>, kind: Contradiction, reason: string, otherBlock?: BlockId): false {
    const rpc = member.rpc.name;
    member.otherBlock = otherBlock;
    const key = `${rpc} ${kind}`;
    const count = (this.#contradictions.get(key)?.count ?? 0) + 1;
    this.#contradictions.set(key, { rpc, kind, count });
    if (member.reason !== reason) {
      this.#parameters.log.error(
        { rpc, contradiction: kind, reason },
        "The node contradicts known facts; it is dropped",
      );
    }
    member.trust = "contradicting";
    member.reason = reason;
    member.restUntil = performance.now() + LONGEST_REST_MS;
    member.answeredAt = -Infinity;
    return false;
  }

  #failed(member: Member<N>, error: RpcError, askedAt: number): void {
    // Nothing was sent.
    if (error.failure === "over-budget") return;
    // Concurrent calls that fail together count as one failure.
    if (askedAt >= member.failedAt) member.failures += 1;
    member.failedAt = performance.now();
    const isRepeated = member.failure === error.message;
    member.failure = error.message;
    const isAway = error.failure === "transport" || error.failure === "timeout";
    if (isAway && member.trust === "proven") member.trust = "unproven";
    if (isAway || member.trust === "unproven") member.reason = error.message;
    // How many calls it takes is learned, and waited for there.
    const failures = isForTheNumber(error) ? 1 : member.failures;
    const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(10, failures - 1));
    member.restUntil = performance.now() + Math.max(error.retryAfterMs ?? 0, rest);
    this.#parameters.log[isRepeated ? "debug" : "warn"](
      { rpc: member.rpc.name, failure: error.failure, reason: error.message },
      "The node failed; the next one is asked",
    );
  }

  /** If every node has the same other block at the height of our deep one, the chain has changed. */
  #noticeDeepReorg(): void {
    const [first, ...others] = this.#members.map((member) => member.otherBlock);
    const isUnanimous =
      first !== undefined &&
      this.#members.every((member) => member.trust === "contradicting") &&
      others.every((block) => block?.hash === first.hash);
    if (!isUnanimous) {
      this.#deepReorg = undefined;
      return;
    }
    if (this.#deepReorg?.hash !== first.hash) this.#deepReorg = { hash: first.hash, since: performance.now() };
    if (performance.now() - this.#deepReorg.since < DEEP_REORG_MS) return;
    this.#deepReorg = undefined;
    void this.#giveUpDeepBlock(first);
  }

  async #giveUpDeepBlock(other: BlockId): Promise<void> {
    const { deep } = await this.#parameters.memory.recall();
    if (deep?.number !== other.number) return;
    this.#givenUp = deep.hash;
    this.#known = undefined;
    this.#parameters.log.error(
      { known: deep, now: other },
      "Every node has another deep block: the chain was reorganised below it",
    );
    for (const member of this.#members) {
      member.trust = "unproven";
      member.restUntil = 0;
    }
  }
}

function isOfAnotherChain({ trust, otherBlock }: { trust: Trust; otherBlock: BlockId | undefined }): boolean {
  return trust === "contradicting" && otherBlock === undefined;
}

/** The node refuses more calls, or would. */
function isForTheNumber({ failure }: RpcError): boolean {
  return failure === "rate-limited" || failure === "over-budget";
}

/** No answer, or one that another node might not give: only a result and a revert are the chain's own. */
function isDoubtful(outcome: RpcOutcome | undefined): boolean {
  return outcome === undefined || ("error" in outcome && !outcome.error.isRevert);
}
