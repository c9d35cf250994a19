import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";

/**
 * A purchase's id is its token id, so ids are given out only above every token that exists. The index knows them all once
 * it is complete up to the block that was the newest when this process started: whatever is minted later has an id from here.
 */
export class IdGate {
  readonly #purchaseNft: WalletAddress;
  /** The newest block of the first proven node that answered; undefined until one did. */
  readonly #firstHead: () => number | undefined;
  #isOpen = false;

  constructor(purchaseNft: WalletAddress, firstHead: () => number | undefined) {
    this.#purchaseNft = purchaseNft;
    this.#firstHead = firstHead;
  }

  async isOpen(queries: Queries): Promise<boolean> {
    if (this.#isOpen) return true;
    const head = this.#firstHead();
    if (head === undefined) return false;
    const cursor = await queries
      .selectFrom("chain_cursor")
      .innerJoin("chain_source", "chain_source.id", "chain_cursor.id")
      .select("block_number")
      .where("purchase_nft", "=", this.#purchaseNft)
      .executeTakeFirst();
    this.#isOpen = cursor !== undefined && cursor.block_number >= BigInt(head);
    return this.#isOpen;
  }
}
