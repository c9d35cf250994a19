import type { Queries } from "../../database/transaction.ts";

export type StoredAnswer = { requestHash: string; status: number; response: string };

/** The response that a caller got for this key before. */
export async function findStoredAnswer(
  queries: Queries,
  wallet: string,
  key: string,
): Promise<StoredAnswer | undefined> {
  const row = await queries
    .selectFrom("idempotency_keys")
    .select(["request_hash", "status", "response"])
    .where("wallet", "=", wallet)
    .where("key", "=", key)
    .executeTakeFirst();
  return row && { requestHash: row.request_hash, status: Number(row.status), response: row.response };
}

/** Stores a response in the transaction of its effect. @throws a unique violation if the key was used in the meantime. */
export async function insertStoredAnswer(
  queries: Queries,
  wallet: string,
  key: string,
  answer: StoredAnswer,
): Promise<void> {
  await queries
    .insertInto("idempotency_keys")
    .values({
      wallet,
      key,
      request_hash: answer.requestHash,
      status: BigInt(answer.status),
      response: answer.response,
      created_at: BigInt(Date.now()),
    })
    .execute();
}

/** Deletes some old responses. Returns whether there may be more. */
export async function deleteStoredAnswers(queries: Queries, createdBefore: bigint, limit: number): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("idempotency_keys")
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple("wallet", "key"),
        "in",
        selectFrom("idempotency_keys")
          .select(["wallet", "key"])
          .where("created_at", "<", createdBefore)
          .limit(limit)
          .$asTuple("wallet", "key"),
      ),
    )
    .executeTakeFirst();
  return numDeletedRows >= limit;
}
