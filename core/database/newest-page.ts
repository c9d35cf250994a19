import { type SelectQueryBuilder, type StringReference, sql } from "kysely";

/** A page of a list by id, newest first: at most `limit` rows with an id below `before`. */
export type NewestPage = { limit: number; before?: bigint | undefined };

export function listNewest<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  id: StringReference<DB, TB>,
  { limit, before }: NewestPage,
) {
  const column = sql.ref<bigint>(id);
  const older = before === undefined ? query : query.where(sql<boolean>`${column} < ${before}`);
  return older.orderBy(column, "desc").limit(limit).execute();
}
