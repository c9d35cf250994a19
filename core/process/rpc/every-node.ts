import { TorcidaError } from "../../rules/torcida-error.ts";
import type { RpcObserver } from "./json-rpc.ts";
import { RpcError } from "./json-rpc.ts";
import type { NodePoolStatus, NodeState } from "./node-pool.ts";
import { type CostlyCall, NodeVoice, type Said } from "./node-voice.ts";
import { Turns } from "./turns.ts";

/** One node said so. It is shown, as that; nothing is decided by it. docs/product.md#node-trust */
export class Claimed<T> {
  /** For a screen. */
  readonly shown: T;
  constructor(shown: T) {
    this.shown = shown;
  }
}

class AgreedAnswer<T> {
  /** Never set: by it no other object is of this type. */
  declare private readonly made: never;
  readonly value: T;
  readonly block: { number: number; hash: string };
  constructor(value: T, block: { number: number; hash: string }) {
    this.value = value;
    this.block = block;
  }
  /** What follows from it is agreed as well. */
  map<U>(follow: (value: T) => U): Agreed<U> {
    return new AgreedAnswer(follow(this.value), this.block);
  }
}

/**
 * The nodes were asked about one block, and said the same. Only this file makes one, by asking: whoever lets somebody in
 * or gives money away takes it, and never a `Claimed`. docs/product.md#node-trust
 */
export type Agreed<T> = AgreedAnswer<T>;

/**
 * Why there is no agreement. `silent`: not every node answers; `different`: they contradict each other; `gone`: a node
 * has that block's state no more; `busy`: other questions came first.
 */
export type NoAgreement = "silent" | "different" | "gone" | "busy";

export class NoAgreementError extends TorcidaError {
  override readonly docs = "docs/product.md#node-trust";
  readonly why: NoAgreement;
  constructor(why: NoAgreement, message: string) {
    super(message);
    this.why = why;
  }
}

/** The block: so deep below the newest one that every node has (1 is the newest), or a known one. */
export type AtBlock = { depth: number } | { number: number };
/** Who must say the same: every configured node, or two of different hosts. */
export type Quorum = "all" | "two hosts";

export type Question = { asker: string; at: AtBlock; quorum?: Quorum };

/** Two questions at a time in all, and one of each asker. */
const TURNS = { atOnce: 2, waitMs: 1_500, mostWaiting: 200 };
/** Of nodes whose newest blocks are further apart, one has stopped or lies. */
const HEADS_APART = 64;

export type EveryNodeParameters = {
  urls: readonly string[];
  /** Its proofs tell a node of another chain. */
  pool: { readonly states: readonly Pick<NodeState, "rpc" | "trust">[] };
  observe?: RpcObserver;
};

/**
 * The one place for questions whose cost a stranger sets, such as to the contract of a wallet: each has connections of
 * its own, bounded gas, bytes and time, and counts for nothing about a node. docs/product.md#node-questions
 */
export class EveryNode {
  readonly #voices: readonly NodeVoice[];
  readonly #pool: EveryNodeParameters["pool"];
  readonly #turns = new Turns(TURNS);

  private constructor(voices: readonly NodeVoice[], pool: EveryNodeParameters["pool"]) {
    this.#voices = voices;
    this.#pool = pool;
  }

  static async open({ urls, pool, observe }: EveryNodeParameters): Promise<EveryNode> {
    return new EveryNode(await Promise.all(urls.map((url) => NodeVoice.open(url, observe))), pool);
  }

  /** Calls sent to each node, by urgency. */
  get calls(): NodePoolStatus["calls"] {
    return this.#voices.flatMap((voice) => voice.calls);
  }

  /** How many different parties answer. */
  get hosts(): number {
    return new Set(this.#voices.map(({ host }) => host)).size;
  }

  /**
   * What the nodes say alike to all calls, in their order, about one block.
   * @throws NoAgreementError
   */
  async agreed(question: Question, calls: readonly CostlyCall[]): Promise<Agreed<readonly Said[]>> {
    return this.#inTurn(question.asker, async () => {
      const other = this.#pool.states.find(({ trust }) => trust === "contradicting");
      if (other) throw new NoAgreementError("different", `${other.rpc} is of another chain`);
      const number = await this.#blockOf(question.at);
      const answers = await Promise.all(this.#voices.map((voice) => answerOf(voice, number, calls)));
      return compare(answers, number, question.quorum ?? "all");
    });
  }

  /** What the first node that answers says, about its newest block. @throws NoAgreementError `silent` or `busy` */
  async claimed(asker: string, calls: readonly CostlyCall[]): Promise<Claimed<readonly Said[]>> {
    return this.#inTurn(asker, async () => {
      const usable = this.#voices.filter(({ name }) => !this.#isOfAnotherChain(name));
      for (const voice of usable) {
        try {
          await voice.head();
          return new Claimed(await Promise.all(calls.map((call) => voice.ask(call))));
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
        }
      }
      throw new NoAgreementError("silent", "No node answers");
    });
  }

  close(): void {
    for (const voice of this.#voices) voice.close();
  }

  #isOfAnotherChain(name: string): boolean {
    return this.#pool.states.some(({ rpc, trust }) => rpc === name && trust === "contradicting");
  }

  async #inTurn<T>(asker: string, work: () => Promise<T>): Promise<T> {
    const turn = await this.#turns.take(asker, work);
    if (!turn) throw new NoAgreementError("busy", "Too many other questions wait");
    return turn.result;
  }

  async #blockOf(at: AtBlock): Promise<number> {
    if ("number" in at) return at.number;
    const heads = await Promise.all(this.#voices.map((voice) => voice.head().catch(noAnswerOf(voice))));
    const silent = heads.find((head) => typeof head !== "number");
    if (silent !== undefined && typeof silent !== "number") throw new NoAgreementError("silent", silent.problem);
    const known = heads.filter((head) => typeof head === "number");
    const lowest = Math.min(...known);
    if (Math.max(...known) - lowest > HEADS_APART) {
      throw new NoAgreementError("different", `The nodes' newest blocks are ${known.join(" and ")}`);
    }
    return Math.max(0, lowest - at.depth + 1);
  }
}

type NoAnswer = { problem: string; isGone: boolean };
type Answer = { voice: NodeVoice } & ({ hash: string; said: readonly Said[] } | NoAnswer);

const noAnswerOf = (voice: NodeVoice) => (error: unknown) => {
  if (!(error instanceof RpcError)) throw error;
  return { problem: `${voice.name}: ${error.message}`, isGone: error.failure === "no-state" };
};

async function answerOf(voice: NodeVoice, block: number, calls: readonly CostlyCall[]): Promise<Answer> {
  const read = async () => {
    const hash = await voice.hashOf(block);
    return { hash, said: await Promise.all(calls.map((call) => voice.ask(call, block))) };
  };
  return { voice, ...(await read().catch(noAnswerOf(voice))) };
}

function compare(answers: readonly Answer[], number: number, quorum: Quorum): Agreed<readonly Said[]> {
  const given = answers.filter((answer) => "hash" in answer);
  const alike = [...Map.groupBy(given, ({ hash, said }) => JSON.stringify([hash, said])).values()];
  const isEnough = (group: typeof given) =>
    quorum === "all" ? group.length === answers.length : new Set(group.map(({ voice }) => voice.host)).size > 1;
  const [first] = alike.find(isEnough) ?? [];
  if (first) return new AgreedAnswer(first.said, { number, hash: first.hash });
  if (alike.length > 1) {
    throw new NoAgreementError("different", `${answers.map(({ voice }) => voice.name).join(" and ")} differ`);
  }
  const missing = answers.filter((answer) => "problem" in answer);
  const why = missing.some(({ isGone }) => !isGone) ? "silent" : "gone";
  const problem = missing.map((one) => one.problem).join("; ");
  throw new NoAgreementError(
    missing.length === 0 ? "silent" : why,
    problem || "Two nodes of different hosts are needed",
  );
}
