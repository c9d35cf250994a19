import type { Selectable } from "kysely";
import { addToDay, dayOf } from "../../database/day-totals.ts";
import type { Schema } from "../../database/schema.ts";
import { touchUser } from "../../database/touch-user.ts";
import type { Queries } from "../../database/transaction.ts";
import { searchKey } from "../../domain/text.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { eraseEvents } from "../../purchases/events.ts";
import { addToShop } from "../../purchases/totals.ts";
import { eraseMails } from "../mail/mails.ts";
import { forgetOtherAddress } from "../mail/readers.ts";
import { eraseClaimPictures } from "../visits/pictures.ts";

export type User = Selectable<Schema["users"]>;

export type Profile = { email: string; firstName: string; lastName: string };

/** The row of a registered wallet; undefined if there is none or its profile was erased. */
export async function findUser(queries: Queries, wallet: WalletAddress): Promise<User | undefined> {
  return queries
    .selectFrom("users")
    .selectAll()
    .where("wallet", "=", wallet)
    .where("erased_at", "is", null)
    .executeTakeFirst();
}

/** Whether this wallet ever signed in with a nonce, even with an erased profile. */
export async function hasSeenNonce(queries: Queries, wallet: WalletAddress): Promise<boolean> {
  const row = await queries.selectFrom("users").select("nonce_seen").where("wallet", "=", wallet).executeTakeFirst();
  return row?.nonce_seen === 1n;
}

/** Returns false if the wallet is already registered. */
export async function insertUser(queries: Queries, wallet: WalletAddress, profile: Profile): Promise<boolean> {
  const values = columnsOf(profile);
  const now = BigInt(Date.now());
  const inserted = await queries
    .insertInto("users")
    .values({ wallet, ...values, created_at: now })
    .onConflict((conflict) =>
      conflict
        .column("wallet")
        .doUpdateSet({ ...values, created_at: now, erased_at: null })
        .where("users.erased_at", "is not", null),
    )
    .returning("wallet")
    .executeTakeFirst();
  if (inserted) {
    await addToShop(queries, { users: 1n });
    await addToDay(queries, dayOf(now), { users: 1n });
  }
  return inserted !== undefined;
}

function columnsOf({ email, firstName, lastName }: Profile) {
  return {
    email,
    first_name: firstName,
    last_name: lastName,
    email_key: searchKey(email),
    name_key: searchKey(`${firstName} ${lastName}`),
    last_name_key: searchKey(lastName),
  };
}

export async function updateUser(queries: Queries, wallet: WalletAddress, profile: Profile): Promise<void> {
  await touchUser(queries, wallet);
  await queries
    .updateTable("users")
    .set(columnsOf(profile))
    .where("wallet", "=", wallet)
    .where("erased_at", "is", null)
    .execute();
  await forgetOtherAddress(queries, wallet, profile.email);
}

/** What the team calls a wallet from now on; an empty one takes the nickname away. */
export async function setNickname(queries: Queries, wallet: WalletAddress, nickname: string): Promise<void> {
  await queries.updateTable("users").set(nicknameColumns(nickname)).where("wallet", "=", wallet).execute();
}

const nicknameColumns = (nickname: string) => ({ nickname, nickname_key: searchKey(nickname) });

export async function markNonceSeen(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries.updateTable("users").set({ nonce_seen: 1n }).where("wallet", "=", wallet).execute();
}

/** Erases a wallet's personal data and ends its sessions; its purchases stay. docs/product.md#erase */
export async function eraseUser(
  queries: Queries,
  wallet: WalletAddress,
  keys: { SALE_REF_KEY?: string | undefined },
): Promise<void> {
  // A new revision invalidates cached responses with the personal data.
  await touchUser(queries, wallet);
  const { numUpdatedRows } = await queries
    .updateTable("users")
    .set({
      ...columnsOf({ email: "", firstName: "", lastName: "" }),
      ...nicknameColumns(""),
      erased_at: BigInt(Date.now()),
    })
    .where("wallet", "=", wallet)
    .where("erased_at", "is", null)
    .executeTakeFirst();
  await addToShop(queries, { users: -numUpdatedRows });
  await queries.deleteFrom("sessions").where("wallet", "=", wallet).execute();
  await queries.deleteFrom("sign_in_nonces").where("wallet", "=", wallet).execute();
  await eraseEvents(queries, wallet);
  await eraseClaimPictures(queries, wallet);
  await eraseMails(queries, wallet, keys);
}
