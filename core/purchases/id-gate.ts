import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/** The head of the first verified node that responded; undefined until then. */
type SeenNodes = { readonly firstHead: number | undefined };

/**
 * A purchase's id is its token id, so ids are assigned only above every existing token. The index has all of them once
 * it has reached the head at the start of this process; later tokens get their ids here. docs/product.md#purchase-id
 */
export class IdGate {
  readonly #purchaseNft: WalletAddress;
  readonly #nodes: SeenNodes;
  #isOpen = false;

  constructor(purchaseNft: WalletAddress, nodes: SeenNodes) {
    this.#purchaseNft = purchaseNft;
    this.#nodes = nodes;
  }

  async isOpen(queries: Queries): Promise<boolean> {
    if (this.#isOpen) return true;
    const head = this.#nodes.firstHead;
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
