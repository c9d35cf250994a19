import { createPublicClient, createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../chain/chains.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import type { OnChain } from "./fill.ts";

const OPERATOR = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const TOKENS_A_TRANSACTION = 100;
const IN_FLIGHT = 20;

/** Mints and confirms real tickets in large batches, for the reconciliation to read. */
export class TokenWriter {
  readonly #wallet;
  readonly #client;
  readonly #purchaseNft: `0x${string}`;
  #nonce = -1;

  constructor(rpcUrl: string, purchaseNft: `0x${string}`) {
    const transport = http(rpcUrl);
    this.#client = createPublicClient({ transport, pollingInterval: 20 });
    this.#wallet = createWalletClient({
      account: privateKeyToAccount(OPERATOR),
      chain: { ...spicy, rpcUrls: { default: { http: [rpcUrl] } } },
      transport,
    });
    this.#purchaseNft = purchaseNft;
  }

  async mint(from: number, to: number, purchase: OnChain): Promise<void> {
    await this.#inBatches(from, to, (ids) =>
      this.#send(
        "mintBatch",
        ids.map((id) => ({
          id,
          buyer: purchase.buyer,
          storeId: Number(purchase.storeId),
          valueCents: Number(purchase.valueCents),
          cashbackBps: Number(purchase.cashbackBps),
          bonusBps: 0,
          metadataUri: "",
        })),
      ),
    );
  }

  async confirm(from: number, to: number): Promise<void> {
    await this.#inBatches(from, to, (ids) => this.#send("confirm", ids));
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
  #send(functionName: "mintBatch" | "confirm", argument: any): Promise<`0x${string}`> {
    return this.#wallet.writeContract({
      address: this.#purchaseNft,
      abi: purchaseNftAbi,
      functionName,
      args: [argument],
      nonce: this.#nonce++,
      gas: 14_000_000n,
    });
  }
}
