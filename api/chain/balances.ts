import { LRUCache } from "lru-cache";
import {
  AbiDecodingDataSizeTooSmallError,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  erc20Abi,
} from "viem";
import type { FanTokenRow } from "../../catalogue/fan-tokens.ts";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import type { TokenBalance } from "../../domain/bonus.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import type { ChainClient } from "../../platform/rpc/chain-client.ts";

export type Balances = { nativeWei: bigint; tokens: Map<WalletAddress, TokenBalance> };

const MAXIMUM_AGE_MS = 5_000;
const MAXIMUM_WALLETS = 10_000;
/** 10^77 is the highest power of ten that fits 256 bits. */
const MAXIMUM_DECIMALS = 77;
const NOTHING: TokenBalance = { units: 0n, decimals: 0 };

/** Reads wallets' balances from the chain, once per indexed block and never per request. */
export class BalanceReader {
  readonly #client: ChainClient;
  readonly #known = new LRUCache<string, Balances, () => Promise<Balances>>({
    ttl: MAXIMUM_AGE_MS,
    max: MAXIMUM_WALLETS,
    fetchMethod: (_key, _stale, { context: fetch }) => fetch(),
  });
  readonly #decimals = new Map<WalletAddress, number>();

  constructor(client: ChainClient) {
    this.#client = client;
  }

  /** The result must not be older than the block that `version` identifies. */
  async read(wallet: WalletAddress, version: string, tokens: readonly FanTokenRow[]): Promise<Balances> {
    const key = `${wallet}:${version}:${tokens.map((token) => token.contract).join()}`;
    return this.#known.forceFetch(key, { context: () => this.#fetch(wallet, tokens) });
  }

  /** The wei that the distributors hold for a wallet that refused its payouts. */
  async creditOf(wallet: WalletAddress, distributors: readonly WalletAddress[]): Promise<bigint> {
    const credits = distributors.map((address) =>
      this.#client.readContract({ address, abi: cashbackDistributorAbi, functionName: "creditOf", args: [wallet] }),
    );
    return (await Promise.all(credits)).reduce((sum, credit) => sum + credit, 0n);
  }

  /** The balance of one token and the block at which it was read, which determine a purchase's bonus. */
  async balanceAt(wallet: WalletAddress, contract: WalletAddress): Promise<TokenBalance & { blockNumber: bigint }> {
    const blockNumber = await this.#client.getBlockNumber();
    return { ...(await this.#readToken(wallet, contract, blockNumber)), blockNumber };
  }

  async #fetch(wallet: WalletAddress, tokens: readonly FanTokenRow[]): Promise<Balances> {
    const contracts = tokens.flatMap((token) => (token.contract === null ? [] : [token.contract]));
    const [nativeWei, ...entries] = await Promise.all([
      this.#client.getBalance({ address: wallet }),
      ...contracts.map(async (contract) => [contract, await this.#readToken(wallet, contract)] as const),
    ]);
    return { nativeWei, tokens: new Map(entries) };
  }

  /** If a contract is not an ERC-20, nothing is held; if the node does not respond, it is an error. */
  async #readToken(wallet: WalletAddress, contract: WalletAddress, blockNumber?: bigint): Promise<TokenBalance> {
    const balanceOf = { address: contract, abi: erc20Abi, functionName: "balanceOf", args: [wallet] } as const;
    try {
      const [units, decimals] = await Promise.all([
        this.#client.readContract(blockNumber === undefined ? balanceOf : { ...balanceOf, blockNumber }),
        this.#readDecimals(contract),
      ]);
      return decimals > MAXIMUM_DECIMALS ? NOTHING : { units, decimals };
    } catch (error) {
      if (isNoToken(error)) return NOTHING;
      throw error;
    }
  }

  /** A contract's metadata; undefined if it is not an ERC-20. @throws if the node does not respond */
  async describeToken(contract: WalletAddress): Promise<TokenDescription | undefined> {
    const read = <Name extends "symbol" | "name">(functionName: Name) =>
      this.#client.readContract({ address: contract, abi: erc20Abi, functionName });
    try {
      const [symbol, decimals] = await Promise.all([read("symbol"), this.#readDecimals(contract)]);
      const name = await read("name").catch(() => null);
      return { symbol, decimals, name };
    } catch (error) {
      if (isNoToken(error)) return undefined;
      throw error;
    }
  }

  async #readDecimals(contract: WalletAddress): Promise<number> {
    const known = this.#decimals.get(contract);
    if (known !== undefined) return known;
    const decimals = await this.#client.readContract({ address: contract, abi: erc20Abi, functionName: "decimals" });
    this.#decimals.set(contract, decimals);
    return decimals;
  }
}

export type TokenDescription = { symbol: string; decimals: number; name: string | null };

/** The contract responded, but not as an ERC-20. */
function isNoToken(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const answer = error.walk(
    (cause) =>
      cause instanceof ContractFunctionZeroDataError ||
      cause instanceof ContractFunctionRevertedError ||
      cause instanceof AbiDecodingDataSizeTooSmallError,
  );
  return answer !== null;
}
