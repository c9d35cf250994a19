import { LRUCache } from "lru-cache";
import { decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex } from "viem";
import type { FanTokenRow } from "../../catalogue/fan-tokens.ts";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import type { TokenBalance } from "../../domain/bonus.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import type { ChainClient } from "../../platform/rpc/chain-client.ts";
import {
  type Agreed,
  Claimed,
  type EveryNode,
  NoAgreementError,
  type Question,
} from "../../platform/rpc/every-node.ts";
import { callOf, type Said } from "../../platform/rpc/node-voice.ts";

/** By one node's word: they are only shown. `tokens` is undefined while no node says them. */
export type Balances = { nativeWei: bigint; tokens: Map<WalletAddress, TokenBalance> | undefined };

const MAXIMUM_AGE_MS = 5_000;
const MAXIMUM_WALLETS = 10_000;
/** 10^77 is the highest power of ten that fits 256 bits. */
const MAXIMUM_DECIMALS = 77;
const NOTHING: TokenBalance = { units: 0n, decimals: 0 };
/** A token's name or symbol. */
const TEXT_BYTES = 1_024;

/** Reads wallets' balances from the chain, once per indexed block and never per request. */
export class BalanceReader {
  readonly #client: ChainClient;
  readonly #everyNode: Pick<EveryNode, "agreed" | "claimed">;
  readonly #known = new LRUCache<string, Claimed<Balances>, () => Promise<Claimed<Balances>>>({
    ttl: MAXIMUM_AGE_MS,
    max: MAXIMUM_WALLETS,
    fetchMethod: (_key, _stale, { context: fetch }) => fetch(),
  });
  /** Those that every node said alike, by contract; they never change. */
  readonly #decimals = new Map<WalletAddress, number>();

  constructor(client: ChainClient, everyNode: Pick<EveryNode, "agreed" | "claimed">) {
    this.#client = client;
    this.#everyNode = everyNode;
  }

  /** The result must not be older than the block that `version` identifies. `asker`: the address of origin. */
  async read(
    wallet: WalletAddress,
    { version, asker }: { version: string; asker: string },
    tokens: readonly FanTokenRow[],
  ): Promise<Claimed<Balances>> {
    const contracts = tokens.flatMap((token) => (token.contract === null ? [] : [token.contract]));
    const key = `${wallet}:${version}:${contracts.join()}`;
    return this.#known.forceFetch(key, { context: () => this.#fetch(wallet, asker, contracts) });
  }

  /** The wei that the distributors hold for a wallet that refused its payouts. */
  async creditOf(wallet: WalletAddress, distributors: readonly WalletAddress[]): Promise<bigint> {
    const credits = distributors.map((address) =>
      this.#client.readContract({ address, abi: cashbackDistributorAbi, functionName: "creditOf", args: [wallet] }),
    );
    return (await Promise.all(credits)).reduce((sum, credit) => sum + credit, 0n);
  }

  /**
   * The balance of one token, which decides a bonus: by the word of every node. docs/product.md#bonus-read
   * @throws NoAgreementError
   */
  async agreed(wallet: WalletAddress, contract: WalletAddress, question: Question): Promise<Agreed<TokenBalance>> {
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
    const textCall = (functionName: "symbol" | "name") =>
      callOf({ to: contract, data: encodeFunctionData({ abi: erc20Abi, functionName }) }, { mostBytes: TEXT_BYTES });
    const calls = [textCall("symbol"), textCall("name"), decimalsCall(contract)];
    const [symbolSaid, nameSaid, decimalsSaid] = (await this.#everyNode.claimed(asker, calls)).shown;
    const [symbol, decimals] = [textIn(symbolSaid), decimalsIn(decimalsSaid)];
    if (symbol === undefined || decimals === undefined) return undefined;
    return new Claimed({ symbol, decimals, name: textIn(nameSaid) ?? null });
  }
}

export type TokenDescription = { symbol: string; decimals: number; name: string | null };

function balanceCall(contract: WalletAddress, wallet: WalletAddress) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [wallet] });
  return callOf({ to: contract, data });
}

function decimalsCall(contract: WalletAddress) {
  return callOf({ to: contract, data: encodeFunctionData({ abi: erc20Abi, functionName: "decimals" }) });
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
