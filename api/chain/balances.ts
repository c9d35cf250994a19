import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { BaseError, decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex } from "viem";
import type { FanTokenRow } from "../../core/catalogue/fan-tokens.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import type { ChainClient } from "../../core/process/rpc/chain-client.ts";
import {
  type Agreed,
  Claimed,
  type EveryNode,
  NoAgreementError,
  type Question,
} from "../../core/process/rpc/every-node.ts";
import type { Said } from "../../core/process/rpc/node-voice.ts";
import type { TokenBalance } from "../../core/rules/bonus.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { Services } from "../services.ts";

/** By one node's word: they are only shown. `tokens` is undefined while no node says them. */
export type Balances = { nativeWei: bigint; tokens: Map<WalletAddress, TokenBalance> | undefined };

const MAXIMUM_AGE_MS = 5_000;
/** Beside those for each token: the native balance, the block that proves the node's chain, and the newest block. */
const OTHER_CALLS = 3;
const CALLS_PER_TOKEN = 2;
/** Of a balance that every node says: its newest block, the hash of the one asked about, and the token's two. */
const AGREED_CALLS = 4;
const MAXIMUM_WALLETS = 10_000;
/** 10^77 is the highest power of ten that fits 256 bits. */
const MAXIMUM_DECIMALS = 77;
const NOTHING: TokenBalance = { units: 0n, decimals: 0 };
/** A token's name or symbol. */
const TEXT_BYTES = 1_024;

type Parts = {
  client: ChainClient;
  everyNode: Pick<EveryNode, "agreed" | "claimed">;
  purse: Pick<NodePurse, "spend">;
  /** The contracts that pay, and those that did: each may hold what a wallet refused. */
  distributors: readonly WalletAddress[];
  /** How often the chain can change. */
  blockMs: number;
};

/** A node that hangs must not hold back what the database knows. */
const WAIT_MS = 2_000;

/**
 * A wallet's balances for its owner's screen; undefined while the chain does not answer: everything else of a profile is in
 * the database. `version` and `asker` as of `BalanceReader.read`.
 */
export async function shownBalances(
  services: Services,
  wallet: WalletAddress,
  of: { version: string; asker: string },
  tokens: readonly FanTokenRow[],
): Promise<Balances | undefined> {
  return (await unlessAway(services, services.balances.read(wallet, of, tokens)))?.shown;
}

/** The wei that a wallet can withdraw after it refused payouts; undefined while the chain does not answer. */
export function readCreditOf(services: Services, wallet: WalletAddress): Promise<bigint | undefined> {
  return unlessAway(services, services.balances.creditOf(wallet));
}

async function unlessAway<T>({ log }: Services, read: Promise<T | undefined>): Promise<T | undefined> {
  const patience = new AbortController();
  try {
    return await Promise.race([read, delay(WAIT_MS, undefined, { signal: patience.signal })]);
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    log.warn({ reason: error.shortMessage }, "A wallet's balances could not be read");
    return undefined;
  } finally {
    patience.abort();
  }
}

/** Several people who come at once are all served, as long as the calls of these seconds suffice. */
const PURSE_SECONDS = 4;

/**
 * The calls to nodes that reads for wallets may cause, all of them together: wallets are free, and a provider's calls are
 * not. docs/operations.md#node-calls
 */
export class NodePurse {
  readonly #limiter: RateLimiterMemory;

  constructor(callsPerSecond: number) {
    this.#limiter = new RateLimiterMemory({
      points: Math.max(1, callsPerSecond * PURSE_SECONDS),
      duration: PURSE_SECONDS,
    });
  }

  /** Whether so many calls may be made now. */
  async spend(calls: number): Promise<boolean> {
    try {
      await this.#limiter.consume("all", calls);
      return true;
    } catch (error) {
      if (error instanceof RateLimiterRes) return false;
      throw error;
    }
  }
}

/** Reads wallets' balances from the chain, once per block and never per request, as far as the purse goes. */
export class BalanceReader {
  readonly #client: ChainClient;
  readonly #everyNode: Parts["everyNode"];
  readonly #purse: Parts["purse"];
  readonly #distributors: Parts["distributors"];
  /** Shown while the purse is empty. */
  readonly #last = new LRUCache<WalletAddress, Claimed<Balances>>({ max: MAXIMUM_WALLETS });
  /** Of one wallet and token, for the time of a block. */
  readonly #agreed: LRUCache<string, Promise<Agreed<TokenBalance>>>;
  readonly #known = new LRUCache<string, Claimed<Balances>, () => Promise<Claimed<Balances>>>({
    ttl: MAXIMUM_AGE_MS,
    max: MAXIMUM_WALLETS,
    fetchMethod: (_key, _stale, { context: fetch }) => fetch(),
  });
  /** Those that every node said alike, by contract; they never change. */
  readonly #decimals = new Map<WalletAddress, number>();

  constructor({ client, everyNode, purse, distributors, blockMs }: Parts) {
    this.#client = client;
    this.#everyNode = everyNode;
    this.#purse = purse;
    this.#distributors = distributors;
    this.#agreed = new LRUCache({ max: MAXIMUM_WALLETS, ttl: Math.max(1, blockMs) });
  }

  /**
   * Not older than the block that `version` identifies; while the purse is empty, the last that were read, or undefined.
   * `asker`: the address of origin.
   */
  async read(
    wallet: WalletAddress,
    { version, asker }: { version: string; asker: string },
    tokens: readonly FanTokenRow[],
  ): Promise<Claimed<Balances> | undefined> {
    const contracts = tokens.flatMap((token) => (token.contract === null ? [] : [token.contract]));
    const key = `${wallet}:${version}:${contracts.join()}`;
    const known = this.#known.get(key);
    if (known) return known;
    const calls = OTHER_CALLS + CALLS_PER_TOKEN * contracts.length;
    if (!(await this.#purse.spend(calls))) return this.#last.get(wallet);
    const read = await this.#known.forceFetch(key, { context: () => this.#fetch(wallet, asker, contracts) });
    this.#last.set(wallet, read);
    return read;
  }

  /** The wei that the distributors hold for a wallet that refused its payouts; undefined while the purse is empty. */
  async creditOf(wallet: WalletAddress): Promise<bigint | undefined> {
    if (!(await this.#purse.spend(this.#distributors.length + 1))) return undefined;
    const credits = this.#distributors.map((address) =>
      this.#client.readContract({ address, abi: cashbackDistributorAbi, functionName: "creditOf", args: [wallet] }),
    );
    return (await Promise.all(credits)).reduce((sum, credit) => sum + credit, 0n);
  }

  /**
   * The balance of one token, which decides a bonus: by the word of every node. docs/product.md#bonus-read
   * @throws NoAgreementError, `busy` while the purse is empty: then it is read later
   */
  async agreed(wallet: WalletAddress, contract: WalletAddress, question: Question): Promise<Agreed<TokenBalance>> {
    const key = `${wallet}:${contract}:${JSON.stringify([question.at, question.quorum])}`;
    const known = this.#agreed.get(key);
    if (known) return known;
    if (!(await this.#purse.spend(AGREED_CALLS))) {
      throw new NoAgreementError("busy", "Too many balances are read now");
    }
    const asked = this.#ask(wallet, contract, question);
    this.#agreed.set(key, asked);
    asked.catch(() => this.#agreed.delete(key));
    return asked;
  }

  async #ask(wallet: WalletAddress, contract: WalletAddress, question: Question): Promise<Agreed<TokenBalance>> {
    const decimals = this.#decimals.get(contract);
    const calls = [balanceCall(contract, wallet), ...(decimals === undefined ? [decimalsCall(contract)] : [])];
    const said = await this.#everyNode.agreed(question, calls);
    const found = decimals ?? decimalsIn(said.value[1]);
    if (found !== undefined) this.#decimals.set(contract, found);
    return said.map(([units]) => balanceOf(units, found));
  }

  async #fetch(wallet: WalletAddress, asker: string, contracts: readonly WalletAddress[]): Promise<Claimed<Balances>> {
    const [nativeWei, tokens] = await Promise.all([
      this.#client.getBalance({ address: wallet }),
      this.#readTokens(wallet, asker, contracts),
    ]);
    return new Claimed({ nativeWei, tokens });
  }

  async #readTokens(wallet: WalletAddress, asker: string, contracts: readonly WalletAddress[]) {
    if (contracts.length === 0) return new Map<WalletAddress, TokenBalance>();
    const calls = contracts.flatMap((contract) => [balanceCall(contract, wallet), decimalsCall(contract)]);
    try {
      const { shown } = await this.#everyNode.claimed(asker, calls);
      return new Map(
        contracts.map((contract, index) => [contract, balanceOf(shown[2 * index], decimalsIn(shown[2 * index + 1]))]),
      );
    } catch (error) {
      if (error instanceof NoAgreementError) return undefined;
      throw error;
    }
  }

  /** A contract's metadata, for the panel; undefined if it is not an ERC-20. @throws NoAgreementError if no node answers */
  async describeToken(contract: WalletAddress, asker: string): Promise<Claimed<TokenDescription> | undefined> {
    const textCall = (functionName: "symbol" | "name") => ({
      to: contract,
      data: encodeFunctionData({ abi: erc20Abi, functionName }),
      mostBytes: TEXT_BYTES,
    });
    const calls = [textCall("symbol"), textCall("name"), decimalsCall(contract)];
    const [symbolSaid, nameSaid, decimalsSaid] = (await this.#everyNode.claimed(asker, calls)).shown;
    const [symbol, decimals] = [textIn(symbolSaid), decimalsIn(decimalsSaid)];
    if (symbol === undefined || decimals === undefined) return undefined;
    return new Claimed({ symbol, decimals, name: textIn(nameSaid) ?? null });
  }
}

export type TokenDescription = { symbol: string; decimals: number; name: string | null };

function balanceCall(contract: WalletAddress, wallet: WalletAddress) {
  return { to: contract, data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [wallet] }) };
}

function decimalsCall(contract: WalletAddress) {
  return { to: contract, data: encodeFunctionData({ abi: erc20Abi, functionName: "decimals" }) };
}

/** If a contract does not answer as an ERC-20, nothing is held. */
function balanceOf(said: Said | undefined, decimals: number | undefined): TokenBalance {
  const units = decoded(said, (data) => decodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", data }));
  const isToken = units !== undefined && decimals !== undefined && decimals <= MAXIMUM_DECIMALS;
  return isToken ? { units, decimals } : NOTHING;
}

function decimalsIn(said: Said | undefined): number | undefined {
  return decoded(said, (data) => decodeFunctionResult({ abi: erc20Abi, functionName: "decimals", data }));
}

function textIn(said: Said | undefined): string | undefined {
  return decoded(said, (data) => decodeFunctionResult({ abi: erc20Abi, functionName: "symbol", data }));
}

function decoded<T>(said: Said | undefined, decode: (data: Hex) => T): T | undefined {
  if (!said) return undefined;
  try {
    return decode(said);
  } catch {
    return undefined;
  }
}
