import {
  BaseError,
  BlockNotFoundError,
  decodeFunctionData,
  encodeErrorResult,
  type Hex,
  keccak256,
  parseTransaction,
  TransactionReceiptNotFoundError,
  toHex,
} from "viem";
import { cashbackDistributorAbi } from "../../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import type { ChainClient } from "../../../core/process/rpc/chain-client.ts";
import { CHAIN_IDS } from "../../../core/rules/networks.ts";
import { WEI_PER_GWEI } from "../../../core/rules/product.ts";
import { CHAIN_STATUS } from "../../../core/rules/purchase/life.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import type { SigningAccount } from "../../../core/sender/account.ts";
import type { ChainEvent, EventContent } from "../../../indexer/events.ts";
import { standIn } from "../../testing/stand-in.ts";

/** A minimal model of the contracts and of one account's transactions; blocks are mined on request. */
export type ModelBlock = {
  number: number;
  hash: string;
  timestamp: number;
  events: ChainEvent[];
  transactions: PoolTransaction[];
  receipts: Map<string, "success" | "reverted">;
  /** The state after this block. */
  state: State;
};

/** Stores need their name on chain to sell; `test/faults/store-names.test.ts` covers a missing one. */
const NAMED_STORES = [1, 2] as const;

type State = { nonce: number; stores: Set<number>; tokens: Map<bigint, Token> };
type Token = { buyer: WalletAddress; cents: bigint; bps: bigint; status: number; paidWei: bigint | null };
type PoolTransaction = { hash: string; nonce: number; to: string; data: Hex; maxFee: bigint; tip: bigint; raw: Hex };

export const MODEL_CONTRACTS = {
  purchaseNft: "0x1111111111111111111111111111111111111111",
  cashbackDistributor: "0x2222222222222222222222222222222222222222",
} as const;

const USUAL_BASE_FEE_WEI = 2_500n * WEI_PER_GWEI;
const BALANCE_WEI = 10n ** 30n;
const FOREIGN_FEE_WEI = USUAL_BASE_FEE_WEI * 100n;
/** The minimum fee increase for replacing a transaction. */
const REPLACEMENT_PERCENT = 110n;
const ITEM_ID_OFFSET = 96n;
const AMOUNT_MASK = (1n << ITEM_ID_OFFSET) - 1n;

export class ModelChain {
  baseFeeWei = USUAL_BASE_FEE_WEI;
  /** The hash of every transaction that a node ever received. */
  readonly received = new Set<string>();
  /** Nonces used by another program's transactions, even in orphaned blocks. */
  readonly foreignNonces = new Set<number>();
  readonly #blocks: ModelBlock[] = [];
  readonly #pool = new Map<number, PoolTransaction>();
  readonly #account: SigningAccount;
  #forks = 0;
  #foreign = 0;

  /** `account` is the sender's, which other programs use too. */
  constructor(account: SigningAccount) {
    this.#account = account;
    this.#append([], { nonce: 0, stores: new Set(NAMED_STORES), tokens: new Map() });
  }

  get head(): ModelBlock {
    return this.#blocks.at(-1) as ModelBlock;
  }

  get blocks(): readonly ModelBlock[] {
    return this.#blocks;
  }

  /** Every event of the canonical chain, in order. */
  get events(): ChainEvent[] {
    return this.#blocks.flatMap((block) => block.events);
  }

  token(id: bigint): Token | undefined {
    return this.head.state.tokens.get(id);
  }

  /** In wei. */
  paidTo(wallet: WalletAddress): bigint {
    const own = [...this.head.state.tokens.values()].filter(({ buyer }) => buyer === wallet);
    return own.reduce((sum, { paidWei }) => sum + (paidWei ?? 0n), 0n);
  }

  /** Mines one block with every valid transaction of the pool. */
  mine(): void {
    const state = this.head.state;
    const taken: PoolTransaction[] = [];
    for (let nonce = state.nonce; ; nonce++) {
      const next = this.#pool.get(nonce);
      if (!next || next.maxFee < this.baseFeeWei) break;
      taken.push(next);
      this.#pool.delete(nonce);
    }
    this.#append(taken, state);
  }

  /** Replaces blocks by empty ones; their transactions are lost or return to the pool. */
  reorg(depth: number, isLost: boolean): void {
    const real = Math.min(depth, this.#blocks.length - 1);
    const orphaned = this.#blocks.splice(this.#blocks.length - real, real);
    if (!isLost) {
      for (const one of orphaned.flatMap((block) => block.transactions)) this.#pool.set(one.nonce, one);
    }
    this.#forks += 1;
    for (let count = 0; count < real; count++) this.#append([], this.head.state);
  }

  dropPool(): void {
    this.#pool.clear();
  }

  /** Another program signs with the same key: the next nonce is used up. */
  async spendNonceElsewhere(): Promise<void> {
    const nonce = this.head.state.nonce;
    this.#foreign += 1;
    const raw = await this.#account.signTransaction({
      type: "eip1559",
      chainId: CHAIN_IDS.spicy,
      nonce,
      gas: 21_000n,
      value: BigInt(this.#foreign),
      to: this.#account.address,
      maxFeePerGas: FOREIGN_FEE_WEI,
      maxPriorityFeePerGas: 0n,
    });
    this.#pool.delete(nonce);
    this.foreignNonces.add(nonce);
    const hash = keccak256(raw);
    this.#append([{ hash, nonce, to: "", data: "0x", maxFee: FOREIGN_FEE_WEI, tip: 0n, raw }], this.head.state);
  }

  /** The node's interface for a sender; `step` runs before and after each call, and may throw. */
  client(step: () => Promise<void>): ChainClient {
    const answer =
      <A, T>(ask: (argument: A) => T) =>
      async (argument: A): Promise<T> => {
        await step();
        const result = ask(argument);
        await step();
        return result;
      };
    const client = {
      getBlock: answer(({ blockNumber }: { blockNumber?: bigint }) => {
        const block = blockNumber === undefined ? this.head : this.#blocks[Number(blockNumber)];
        if (!block) throw new BlockNotFoundError({ blockNumber: blockNumber ?? 0n });
        const transactions = block.transactions.map(({ hash, raw }) => {
          const { data: input = "0x", value = 0n, ...parsed } = parseTransaction(raw);
          return { ...parsed, hash, from: this.#account.address, input, value };
        });
        return { number: BigInt(block.number), hash: block.hash, baseFeePerGas: this.baseFeeWei, transactions };
      }),
      getBlockNumber: answer(() => BigInt(this.head.number)),
      getTransactionCount: answer(({ blockNumber }: { blockNumber?: bigint }) => {
        const block = blockNumber === undefined ? this.head : this.#blocks[Number(blockNumber)];
        return block?.state.nonce ?? 0;
      }),
      getBalance: answer(() => BALANCE_WEI),
      getTransactionReceipt: answer(({ hash }: { hash: Hex }) => {
        const block = this.#blocks.find((one) => one.receipts.has(hash));
        if (!block) throw new TransactionReceiptNotFoundError({ hash });
        return {
          status: block.receipts.get(hash),
          transactionHash: hash,
          blockNumber: BigInt(block.number),
          blockHash: block.hash,
        };
      }),
      call: answer(({ to, data }: { to: string; data: Hex }) => {
        execute(this.head.state, to, data);
        return {};
      }),
      readContract: answer(({ functionName }: { functionName: string }) => this.#limits()[functionName]),
      sendRawTransaction: answer(({ serializedTransaction }: { serializedTransaction: Hex }) =>
        this.#receive(serializedTransaction),
      ),
    };
    const onOneNode: ChainClient["onOneNode"] = (question) => question(standIn<ChainClient>(client));
    return standIn<ChainClient>({ ...client, onOneNode, apart: () => standIn<ChainClient>(client) });
  }

  /** A distributor without narrow limits. */
  #limits(): Record<string, unknown> {
    const limits = { maxWeiPerCent: BALANCE_WEI, maxPayout: BALANCE_WEI, dailyCap: BALANCE_WEI };
    return { limits, spentToday: 0n, available: BALANCE_WEI, paused: false, hasRole: true };
  }

  #receive(raw: Hex): Hex {
    const hash = keccak256(raw);
    this.received.add(hash);
    const parsed = parseTransaction(raw);
    const nonce = parsed.nonce ?? 0;
    const maxFee = parsed.maxFeePerGas ?? 0n;
    const tip = parsed.maxPriorityFeePerGas ?? 0n;
    if (nonce < this.head.state.nonce) throw new BaseError("nonce too low");
    const other = this.#pool.get(nonce);
    if (other?.hash === hash) throw new BaseError("already known");
    if (other && (maxFee * 100n < other.maxFee * REPLACEMENT_PERCENT || tip * 100n < other.tip * REPLACEMENT_PERCENT)) {
      throw new BaseError("replacement transaction underpriced");
    }
    this.#pool.set(nonce, { hash, nonce, to: parsed.to ?? "", data: parsed.data ?? "0x", maxFee, tip, raw });
    return hash;
  }

  #append(transactions: PoolTransaction[], before: State): void {
    const number = this.#blocks.length;
    const hash = keccak256(toHex(`block ${number} of fork ${this.#forks} with ${transactions.map((one) => one.hash)}`));
    const events: ChainEvent[] = [];
    const receipts: ModelBlock["receipts"] = new Map();
    let state = before;
    for (const one of transactions) {
      state = { ...state, nonce: one.nonce + 1 };
      try {
        const done = execute(state, one.to, one.data);
        state = { ...state, ...done.state };
        for (const content of done.events) {
          events.push({ blockNumber: number, logIndex: events.length, transactionHash: one.hash, ...content });
        }
        receipts.set(one.hash, "success");
      } catch {
        receipts.set(one.hash, "reverted");
      }
    }
    this.#blocks.push({ number, hash, timestamp: 1_700_000_000 + number, events, transactions, receipts, state });
  }
}

type Executed = { state: Pick<State, "stores" | "tokens">; events: EventContent[] };

class Revert extends BaseError {
  readonly data: Hex;

  constructor(data: Hex) {
    super("execution reverted");
    this.data = data;
  }
}

/** The state after a call; the given state is not modified. */
function execute(state: State, to: string, data: Hex): Executed {
  const stores = new Set(state.stores);
  const tokens = new Map(state.tokens);
  const events: EventContent[] = [];
  if (to === MODEL_CONTRACTS.purchaseNft) executeNft({ stores, tokens, events }, data);
  else if (to === MODEL_CONTRACTS.cashbackDistributor) executeDistributor({ tokens, events }, data);
  return { state: { stores, tokens }, events };
}

type Changing = { stores: Set<number>; tokens: Map<bigint, Token>; events: EventContent[] };

function executeNft({ stores, tokens, events }: Changing, data: Hex): void {
  const abi = purchaseNftAbi;
  const call = decodeFunctionData({ abi, data });
  if (call.functionName === "registerStore") {
    const [id] = call.args;
    if (stores.has(id))
      throw new Revert(encodeErrorResult({ abi, errorName: "PurchaseNFT_StoreAlreadyRegistered", args: [id] }));
    stores.add(id);
  } else if (call.functionName === "mintBatch") {
    for (const one of call.args[0]) {
      if (!stores.has(one.storeId))
        throw new Revert(encodeErrorResult({ abi, errorName: "PurchaseNFT_UnknownStore", args: [one.storeId] }));
      if (tokens.has(one.id))
        throw new Revert(encodeErrorResult({ abi, errorName: "PurchaseNFT_AlreadyMinted", args: [one.id] }));
      const buyer = one.buyer.toLowerCase() as WalletAddress;
      const cents = BigInt(one.valueCents);
      const bps = BigInt(one.baseBps + one.bonusBps);
      tokens.set(one.id, { buyer, cents, bps, status: CHAIN_STATUS.pending, paidWei: null });
      const { storeId, valueCents, baseBps, bonusBps } = one;
      const terms = { storeId, valueCents, cashbackBps: baseBps, bonusBps, saleRef: BigInt.asIntN(64, one.saleRef) };
      events.push({ kind: "PurchaseMinted", tokenId: one.id, buyer, ...terms });
    }
  } else if (call.functionName === "confirm" || call.functionName === "cancel") {
    const to = call.functionName === "confirm" ? CHAIN_STATUS.confirmed : CHAIN_STATUS.cancelled;
    for (const id of call.args[0]) {
      const token = tokens.get(id);
      if (token?.status !== CHAIN_STATUS.pending)
        throw new Revert(
          encodeErrorResult({ abi, errorName: "PurchaseNFT_NotPending", args: [id, token?.status ?? 0] }),
        );
      tokens.set(id, { ...token, status: to });
      events.push({ kind: "StatusUpdated", tokenId: id, to });
    }
  } else if (call.functionName === "markReturned") {
    for (const id of call.args[0]) {
      const token = tokens.get(id);
      if (token?.status !== CHAIN_STATUS.confirmed)
        throw new Revert(
          encodeErrorResult({ abi, errorName: "PurchaseNFT_NotConfirmed", args: [id, token?.status ?? 0] }),
        );
      tokens.set(id, { ...token, status: CHAIN_STATUS.returned });
      events.push({ kind: "StatusUpdated", tokenId: id, to: CHAIN_STATUS.returned });
    }
  } else throw new Error(`The model does not know ${call.functionName}`);
}

function executeDistributor({ tokens, events }: Omit<Changing, "stores">, data: Hex): void {
  const abi = cashbackDistributorAbi;
  const call = decodeFunctionData({ abi, data });
  if (call.functionName !== "payBatch") throw new Error(`The model does not know ${call.functionName}`);
  const [items, weiPerCent] = call.args;
  for (const item of items) {
    const id = item >> ITEM_ID_OFFSET;
    const amount = item & AMOUNT_MASK;
    const token = tokens.get(id);
    if (token && token.paidWei !== null) continue;
    if (amount === 0n)
      throw new Revert(encodeErrorResult({ abi, errorName: "CashbackDistributor_ZeroAmount", args: [id] }));
    if (token?.status !== CHAIN_STATUS.confirmed)
      throw new Revert(
        encodeErrorResult({ abi, errorName: "CashbackDistributor_NotConfirmed", args: [id, token?.status ?? 0] }),
      );
    const most = (token.cents * token.bps * weiPerCent) / 10_000n;
    if (amount > most)
      throw new Revert(
        encodeErrorResult({ abi, errorName: "CashbackDistributor_AboveCashback", args: [id, amount, most] }),
      );
    tokens.set(id, { ...token, paidWei: amount });
    events.push({ kind: "CashbackPaid", tokenId: id, recipient: token.buyer, amountWei: amount, weiPerCent });
  }
}
