import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Database } from "../../core/database/connect.ts";
import { PURSES, type PurseName } from "../../core/rules/api/common.ts";
import type { ApiEnvironment } from "../environment.ts";
import { keyedHash } from "../keyed-hash.ts";
import { ApiError } from "./api-error.ts";
import { blockOf, originOf } from "./origin.ts";
import { ALLOWANCES, needsMoreThanTime, Purse, pointsOf, type Refused, type Spent } from "./purses.ts";
import type { Cost, Identity } from "./route.ts";
import { type EndTurn, type Rank, Turns } from "./turns.ts";

/** A refused caller reads its answer this much later, so that one who asks again at once costs little. */
const REFUSED_MS = 200;
/** An address that used this much of the thread in its minute waits for turns: of its allowance. */
const HEAVY_SHARE = 0.01;
const NETWORKS_WATCHED = 10_000;

/** Who pays for a call: an account that has a secret of ours, or everybody behind an address of origin. */
export type Payer =
  | { kind: "account"; account: string }
  | { kind: "origin"; address: string; wallet?: string; wasPaid?: boolean; isProbe?: true | undefined };

/** What a call took from the purses. */
export type Receipt = Pick<Spent, "giveBack"> & {
  /** Waits for the call's turn, before it is answered. @throws ApiError 429; nothing is spent then */
  begin(): Promise<EndTurn>;
};

/**
 * Spends what a call costs from the purses of its wallet, its address of origin and the whole shop: the only limits of
 * calls. docs/product.md#purses
 */
export class Gate {
  readonly #purses: Record<keyof typeof ALLOWANCES, Purse>;
  readonly #turns: Turns;
  readonly #heavyPoints: number;
  /** By /48, those of its /64 that called in the last minute. */
  readonly #networks = new LRUCache<string, Set<string>>({ max: NETWORKS_WATCHED, ttl: 60_000 });
  /** How many calls each purse refused since the start. */
  readonly refused = new Map<PurseName, number>(PURSES.map((purse) => [purse, 0]));

  constructor(
    { RATE_LIMIT_SCALE: scale, SALE_REF_KEY }: Pick<ApiEnvironment, "RATE_LIMIT_SCALE" | "SALE_REF_KEY">,
    { kysely }: Pick<Database, "kysely">,
  ) {
    const options = { scale, queries: kysely, hashed: (key: string) => keyedHash(SALE_REF_KEY, `purse ${key}`) };
    const purse = (name: PurseName, kind: keyof typeof ALLOWANCES = name) => new Purse(name, kind, options);
    this.#purses = {
      wallet: purse("wallet"),
      address: purse("address"),
      known: purse("address", "known"),
      shop: purse("shop"),
      account: purse("account"),
    };
    this.#turns = new Turns(scale);
    this.#heavyPoints = pointsOf("thread", ALLOWANCES.address.aMinute.thread) * scale * HEAVY_SHARE;
  }

  /** Each of the apis that are alive holds an equal share. */
  share(apis: number): void {
    for (const purse of Object.values(this.#purses)) purse.share(apis);
    this.#turns.share(apis);
  }

  /** @throws ApiError 429 with `Retry-After`; nothing is spent then */
  async spend(payer: Payer, cost: Cost, signsIn = false): Promise<Receipt> {
    if (payer.kind === "account") {
      return receiptOf([await this.#from("account", payer.account, cost, signsIn, [])], beginAtOnce);
    }
    const { address, wallet, wasPaid = false, isProbe = false } = payer;
    const taken: Spent[] = [];
    if (wallet !== undefined) taken.push(await this.#from("wallet", wallet, cost, signsIn, taken));
    const origin = originOf(address);
    const ofOrigin = await this.#from(wasPaid ? "known" : "address", origin, cost, signsIn, taken);
    taken.push(ofOrigin);
    const isHeavy = ofOrigin.threadPoints > this.#heavyPoints;
    if (isProbe && !isHeavy) return receiptOf(taken, beginAtOnce);
    if (needsMoreThanTime(cost, signsIn))
      taken.push(await this.#from("shop", "all", { ...cost, thread: 0 }, signsIn, taken));
    const rank: Rank = wallet === undefined ? 2 : wasPaid ? 0 : 1;
    const caller = { rank, block: blockOf(origin, this.#networks), isHeavy };
    return receiptOf(taken, async () => {
      const end = await this.#turns.take(caller, cost.thread);
      // A probe that waited in vain is answered all the same: a busy shop must not look like a dead one.
      if (!end) return isProbe ? NOTHING_TO_END : this.#refuse({ purse: "shop", seconds: 1 }, taken);
      // It may wait long for a node, of which its purse has few calls.
      if (cost.node > 0) end();
      return end;
    });
  }

  #from(
    purse: keyof typeof ALLOWANCES,
    key: string,
    cost: Cost,
    signsIn: boolean,
    taken: readonly Spent[],
  ): Spent | Promise<Spent> {
    const result = this.#purses[purse].spend(key, cost, signsIn);
    if (!(result instanceof Promise)) return result;
    return result.then((spent) => ("seconds" in spent ? this.#refuse(spent, taken) : spent));
  }

  async #refuse({ purse, seconds }: Refused, taken: readonly Spent[]): Promise<never> {
    for (const spent of taken) spent.giveBack();
    this.refused.set(purse, (this.refused.get(purse) ?? 0) + 1);
    await delay(REFUSED_MS);
    throw new ApiError(429, "TOO_MANY_REQUESTS", `${REASONS[purse]}; try again in ${seconds} s`, {
      headers: { "retry-after": String(seconds) },
      extra: { purse },
    });
  }
}

const REASONS: Record<PurseName, string> = {
  wallet: "This wallet asks for too much at once: wait, and ask less often",
  address: "Too many requests come from this internet address: wait, or use another connection",
  shop: "The shop has more requests than it can answer now: wait a moment",
  account: "This account reports too much at once: wait, and send the rest then",
};

function receiptOf(taken: readonly Spent[], begin: Receipt["begin"]): Receipt {
  return {
    giveBack: (kinds) => {
      for (const spent of taken) spent.giveBack(kinds);
    },
    begin,
  };
}

const NOTHING_TO_END: EndTurn = () => {};
const beginAtOnce = async (): Promise<EndTurn> => NOTHING_TO_END;

export const accountPayer = (account: string): Payer => ({ kind: "account", account });

/** Services pay as accounts; everybody else by wallet and address. */
export function payerOf(identity: Identity, address: string): Payer {
  if (identity.kind === "service") return accountPayer(`service ${identity.name}`);
  if (identity.kind === "anonymous") return { kind: "origin", address };
  const { wallet, wasPaid } = identity.visitor;
  return { kind: "origin", address, wallet, wasPaid };
}
