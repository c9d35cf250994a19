import { createPublicClient, createWalletClient, http, type PrivateKeyAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../../core/chain/chains.ts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import type { OnChain } from "./fill.ts";

const OPERATOR = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
/** Not the operator, whose transactions a reconciliation must all explain. */
const MINTER = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
const TOKENS_A_TRANSACTION = 100;
const IN_FLIGHT = 20;

/** Mints and confirms real tickets in large batches, for the reconciliation to read. */
export class TokenWriter {
  readonly #rpcUrl: string;
  readonly #wallet;
  readonly #client;
  readonly #purchaseNft: `0x${string}`;
  #nonce = -1;

  constructor(rpcUrl: string, purchaseNft: `0x${string}`) {
    this.#rpcUrl = rpcUrl;
    this.#client = createPublicClient({ transport: http(rpcUrl), pollingInterval: 20 });
    this.#wallet = this.#walletOf(MINTER);
    this.#purchaseNft = purchaseNft;
  }

  /** Call it once: the operator lets this writer mint and confirm. */
  async allow(): Promise<void> {
    const contract = { address: this.#purchaseNft, abi: purchaseNftAbi } as const;
    for (const functionName of ["MINTER_ROLE", "CONFIRMER_ROLE"] as const) {
      const role = await this.#client.readContract({ ...contract, functionName });
      const hash = await this.#walletOf(OPERATOR).writeContract({
        ...contract,
        functionName: "grantRole",
        args: [role, MINTER.address],
      });
      await this.#client.waitForTransactionReceipt({ hash });
    }
  }

  #walletOf(account: PrivateKeyAccount) {
    const chain = { ...spicy, rpcUrls: { default: { http: [this.#rpcUrl] } } };
    return createWalletClient({ account, chain, transport: http(this.#rpcUrl) });
  }

  async mint(from: number, to: number, purchase: OnChain): Promise<void> {
    await this.#inBatches(from, to, (ids) =>
      this.#send("mintBatch", [
        ids.map((id) => ({
          id,
          buyer: purchase.buyer,
          storeId: Number(purchase.storeId),
          valueCents: Number(purchase.valueCents),
          baseBps: Number(purchase.cashbackBps),
          bonusBps: 0,
          saleRef: 0n,
        })),
        [],
      ]),
    );
  }

  async confirm(from: number, to: number): Promise<void> {
    await this.#inBatches(from, to, (ids) => this.#send("confirm", [ids]));
  }

  async #inBatches(from: number, to: number, send: (ids: bigint[]) => Promise<`0x${string}`>): Promise<void> {
    const { address } = this.#wallet.account;
    this.#nonce = await this.#client.getTransactionCount({ address, blockTag: "pending" });
    let waiting: `0x${string}`[] = [];
    for (let first = from; first <= to; first += TOKENS_A_TRANSACTION) {
      const count = Math.min(TOKENS_A_TRANSACTION, to - first + 1);
      waiting.push(await send(Array.from({ length: count }, (_, index) => BigInt(first + index))));
      if (waiting.length < IN_FLIGHT && first + TOKENS_A_TRANSACTION <= to) continue;
      for (const hash of waiting) {
        const { status } = await this.#client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
        if (status !== "success") throw new Error(`${hash} reverted`);
      }
      waiting = [];
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the two functions' arguments have nothing in common
  #send(functionName: "mintBatch" | "confirm", args: any): Promise<`0x${string}`> {
    return this.#wallet.writeContract({
      address: this.#purchaseNft,
      abi: purchaseNftAbi,
      functionName,
      args,
      nonce: this.#nonce++,
      gas: 14_000_000n,
    });
  }
}
