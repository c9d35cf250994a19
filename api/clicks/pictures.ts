import type { Queries } from "../../database/transaction.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import type { Picture } from "../assets/picture.ts";

/** Attaches a picture to its buyer's claim, instead of an earlier one. docs/product.md#sales-claims */
export async function attachPicture(
  queries: Queries,
  claim: { id: bigint; wallet: WalletAddress },
  { type, bytes }: Pick<Picture, "type" | "bytes">,
): Promise<void> {
  const row = { type, content: bytes.toString("base64") };
  await queries
    .insertInto("claim_pictures")
    .values({ claim_id: claim.id, wallet: claim.wallet, ...row })
    .onConflict((conflict) => conflict.column("claim_id").doUpdateSet(row))
    .execute();
}

/** A claim's picture as a `data:` URL; undefined if it has none. */
export async function pictureOfClaim(queries: Queries, claimId: bigint): Promise<string | undefined> {
  const row = await queries
    .selectFrom("claim_pictures")
    .select(["type", "content"])
    .where("claim_id", "=", claimId)
    .executeTakeFirst();
  return row && `data:${row.type};base64,${row.content}`;
}

export async function eraseClaimPictures(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries.deleteFrom("claim_pictures").where("wallet", "=", wallet).execute();
}
