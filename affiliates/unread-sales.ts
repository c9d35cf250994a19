import { among } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import type { SaleState } from "../domain/sale/state.ts";

/** A time that never comes: the sale is not reread. */
const NEVER = 8_640_000_000_000_000n;
const LOOKED_AT = 500;
const LOOKS = 10;

type Unread = { network: string; account: string; states: readonly SaleState[] };

/**
 * An account's sales that were not read since `unreadSince`, longest unread first. Those from before `changeableSince`,
 * which their network no longer changes, leave the queue for good: each is passed over once, not in every round.
 */
export async function listLongestUnread(
  queries: Queries,
  { network, account, states }: Unread,
  { unreadSince, changeableSince, limit }: { unreadSince: number; changeableSince: number; limit: number },
): Promise<{ id: bigint; sale_key: string; occurred_at: bigint | null; created_at: bigint }[]> {
  for (let look = 0; look < LOOKS; look++) {
    const longest = await queries
      .selectFrom("sales")
      .select(["id", "sale_key", "occurred_at", "created_at"])
      .where("network", "=", network)
      .where("account", "=", account)
      .where("state", "in", states)
      .where("read_at", "<=", BigInt(unreadSince))
      .orderBy("read_at")
      .limit(Math.max(limit, LOOKED_AT))
      .execute();
    const isOver = (sale: { created_at: bigint }) => sale.created_at < BigInt(changeableSince);
    await leaveQueue(
      queries,
      longest.filter(isOver).map((sale) => sale.id),
    );
    const changeable = longest.filter((sale) => !isOver(sale));
    if (changeable.length > 0 || longest.length === 0) return changeable.slice(0, limit);
  }
  return [];
}

async function leaveQueue(queries: Queries, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable("sales")
    .set({ read_at: NEVER })
    .where(among(queries, "id", ids))
    .execute();
}
