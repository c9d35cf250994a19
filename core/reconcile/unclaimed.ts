import { z } from "zod";
import { type Contracts, ticketContractsOf } from "../chain/deployment.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

const acceptedSchema = z.object({ contract: z.string(), block: z.coerce.bigint() });
const PAGE = 1_000;

/** A ticket that no purchase has the id of. */
export type UnclaimedTicket = {
  tokenId: bigint;
  owner: WalletAddress;
  storeId: bigint;
  valueCents: bigint;
  status: bigint;
  /** 0 for a simulated purchase. */
  saleRef: bigint;
  mintedBlock: bigint;
  isPaid: boolean;
};

/** The last block whose tickets without a purchase, and payouts of other amounts, an operator knows; -1 if none. */
export async function readAccepted(queries: Queries, contracts: Contracts): Promise<bigint> {
  const stored = JSON.parse((await readSetting(queries, "unclaimed_accepted")) ?? "null");
  const { data } = acceptedSchema.safeParse(stored);
  return data && ticketContractsOf(contracts).some((one) => one === data.contract) ? data.block : -1n;
}

/** Tickets without a purchase, and payouts of another amount, up to this block are no contradiction any more. */
export async function acceptUnclaimed(
  queries: Queries,
  { purchaseNft }: Pick<Contracts, "purchaseNft">,
  block: bigint,
): Promise<void> {
  await writeSetting(queries, "unclaimed_accepted", JSON.stringify({ contract: purchaseNft, block: String(block) }));
}

/** All tickets without a purchase, lowest first, a page at a time. Reads every ticket: for commands only. */
export async function* listUnclaimed(queries: Queries): AsyncGenerator<UnclaimedTicket> {
  for (let after = -1n; ; ) {
    const rows = await queries
      .selectFrom("nfts")
      .leftJoin("purchases", "purchases.id", "nfts.token_id")
      .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
      .select([
        "nfts.token_id",
        "owner",
        "nfts.store_id",
        "value_cents",
        "nfts.status",
        "nfts.sale_ref",
        "minted_block",
      ])
      .select("payouts.token_id as paid_id")
      .where("purchases.id", "is", null)
      .where("nfts.token_id", ">", after)
      .orderBy("nfts.token_id")
      .limit(PAGE)
      .execute();
    for (const row of rows)
      yield {
        tokenId: row.token_id,
        owner: row.owner,
        storeId: row.store_id,
        valueCents: row.value_cents,
        status: row.status,
        saleRef: row.sale_ref,
        mintedBlock: row.minted_block,
        isPaid: row.paid_id !== null,
      };
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.token_id;
  }
}
