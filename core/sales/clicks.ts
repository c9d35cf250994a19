import { type Selectable, sql } from "kysely";
import { among } from "../database/among.ts";
import { addToDay, anySlot, dayOf } from "../database/day-totals.ts";
import type { Schema } from "../database/generated/schema.ts";
import { listNewest, type NewestPage } from "../database/newest-page.ts";
import { sweep } from "../database/sweep.ts";
import type { Queries } from "../database/transaction.ts";
import { newClickToken } from "../purchases/click-token.ts";
import { claimInvites } from "../purchases/invites.ts";
import { storeNameNow } from "../purchases/queries.ts";
import { type BonusRead, bonusColumns } from "../rules/bonus-read.ts";
import { monthOf } from "../rules/iso-time.ts";
import { idsOf, jsonOf } from "../rules/records.ts";
import type { ClickTerms } from "../rules/sale/value.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

export type Click = Selectable<Schema["clicks"]>;

export type NewClick = {
  wallet: WalletAddress;
  storeId: bigint;
  storeName: string;
  tokenSlug: string | null;
  balanceBlock: bigint | null;
  terms: ClickTerms;
  /** A bonus that is read later. */
  bonusRead?: BonusRead | null;
  /** When its terms were frozen; milliseconds UTC. */
  clickedAt: bigint;
  windowMs: bigint;
  /** What an invitation adds now, in basis points, if it carries one. docs/product.md#invite */
  inviteBps?: bigint;
};

/**
 * Stores clicks, each with a new token and its expiry, and counts them in the figures of the day and of the store.
 * Returns the rows in the order of `clicks`. docs/product.md#sales-click
 */
export async function insertClicks(queries: Queries, clicks: readonly NewClick[]): Promise<Click[]> {
  const drafts = clicks.map((click) => ({ click, token: newClickToken() }));
  const invites = await claimInvites(
    queries,
    drafts.map(({ click, token }) => ({
      ...{ token, wallet: click.wallet, at: click.clickedAt },
      inviteBps: click.inviteBps ?? 0n,
    })),
  );
  const rows = drafts.map(({ click, token }) => {
    const { isInForce: _isInForce, ...invite } = invites.get(token) ?? {};
    return rowOf({ ...click, terms: "id" in invite ? { ...click.terms, invite } : click.terms }, token);
  });
  const inserted = await queries.insertInto("clicks").values(rows).returningAll().execute();
  for (const [day, ofDay] of Map.groupBy(rows, (row) => dayOf(row.created_at))) {
    await addToDay(queries, day, { clicks: BigInt(ofDay.length) });
  }
  await countClicks(queries, rows);
  const position = new Map(rows.map((row, index) => [row.token, index]));
  return inserted.toSorted((one, other) => (position.get(one.token) ?? 0) - (position.get(other.token) ?? 0));
}

function rowOf(click: NewClick, token: string) {
  return {
    token,
    wallet: click.wallet,
    store_id: click.storeId,
    store_name: click.storeName,
    token_slug: click.tokenSlug,
    balance_block: click.balanceBlock,
    terms: jsonOf(click.terms),
    ...bonusColumns(click.bonusRead),
    created_at: click.clickedAt,
    expires_at: click.clickedAt + click.windowMs,
  };
}

/** Counts new clicks by store and month, in the transaction that inserts them. */
async function countClicks(queries: Queries, clicks: readonly Pick<Click, "store_id" | "created_at">[]): Promise<void> {
  const slot = anySlot(queries);
  const cells = Map.groupBy(clicks, ({ store_id, created_at }) => `${store_id} ${monthOf(created_at)}`);
  // In one order everywhere, so that two writers never wait for each other.
  const values = [...cells]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([cell, { length }]) => {
      const [store_id = "", month = ""] = cell.split(" ");
      return { store_id: BigInt(store_id), month, slot, clicks: BigInt(length) };
    });
  if (values.length === 0) return;
  await queries
    .insertInto("store_clicks")
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(["store_id", "month", "slot"])
        .doUpdateSet({ clicks: sql<bigint>`store_clicks.clicks + excluded.clicks` }),
    )
    .execute();
}

/**
 * A click without a sale goes when nobody can claim it and its network reports nothing of it any more: ten days after its
 * window, and at the earliest after 130 days. `clicks_goes_at` has the same words.
 */
const CLICK_GOES_AT = sql<bigint>`(case when clicks.expires_at > clicks.created_at + 10368000000
  then clicks.expires_at + 864000000 else clicks.created_at + 11232000000 end)`;

/** Deletes clicks that led to no sale and no claim. Returns whether there may be more. docs/operations.md#what-ends */
export async function deleteOldClicks(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  return sweep(queries, "clicks_swept", async ({ at, id }) => {
    const due = await queries
      .selectFrom("clicks")
      .select(["id", CLICK_GOES_AT.as("at")])
      .where(sql<boolean>`(${CLICK_GOES_AT}, clicks.id) > (${at}, ${id})`)
      .where(sql<boolean>`${CLICK_GOES_AT} < ${now}`)
      .orderBy(CLICK_GOES_AT)
      .orderBy("clicks.id")
      .limit(limit)
      .execute();
    await queries
      .deleteFrom("clicks")
      .where(among(queries, "clicks.id", idsOf(due)))
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("sales").select("sales.id").whereRef("sales.click_id", "=", "clicks.id"))),
      )
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("claims").select("claims.id").whereRef("claims.click_id", "=", "clicks.id"))),
      )
      .execute();
    return { rows: due, limit };
  });
}

export function findClickByToken(queries: Queries, token: string): Promise<Click | undefined> {
  return queries.selectFrom("clicks").selectAll().where("token", "=", token).executeTakeFirst();
}

/** A wallet's clicks, newest first, with what their stores are called now. */
export function listClicks(queries: Queries, wallet: WalletAddress, page: NewestPage) {
  const query = queries.selectFrom("clicks").selectAll().select(storeNameNow("clicks").as("store_now"));
  return listNewest(query.where("wallet", "=", wallet), "id", page);
}
