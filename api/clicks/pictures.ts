import { sql } from "kysely";
import { among } from "../../core/database/among.ts";
import { sweep } from "../../core/database/sweep.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import { idsOf } from "../../core/rules/records.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
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

/** How long the picture of an answered claim stays, for a question about the answer. */
const KEPT_MS = 30n * BIG_DAY_MS;

/** Deletes the pictures of claims that were answered long ago. Returns whether there may be more. docs/operations.md#what-ends */
export async function deleteOldPictures(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  return sweep(queries, "claim_pictures_swept", async ({ at, id }) => {
    const due = await queries
      .selectFrom("claims")
      .select(["id", sql<bigint>`claims.decided_at`.as("at")])
      .where(sql<boolean>`(claims.decided_at, claims.id) > (${at}, ${id})`)
      .where("decided_at", "<", now - KEPT_MS)
      .orderBy("decided_at")
      .orderBy("id")
      .limit(limit)
      .execute();
    await queries
      .deleteFrom("claim_pictures")
      .where(among(queries, "claim_id", idsOf(due)))
      .execute();
    return { rows: due, limit };
  });
}

export async function eraseClaimPictures(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries.deleteFrom("claim_pictures").where("wallet", "=", wallet).execute();
}
