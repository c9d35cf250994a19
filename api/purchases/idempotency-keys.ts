import { hash } from "node:crypto";
import type { Request } from "express";
import type { Queries } from "../../core/database/transaction.ts";
import { ApiError, invalid } from "../http/api-error.ts";

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

export const IDEMPOTENCY_HEADER = {
  "idempotency-key": { description: "1 to 128 printable characters; a repetition gets the same response" },
};

/** A request whose effect happens once per key. docs/product.md#idempotency */
export type KeyedRequest = { caller: string; key: string; requestHash: string };

/** The key of a request; undefined if it has none. `meaning` identifies the call and its body. @throws ApiError 400 */
export function readKey(request: Request, caller: string, meaning: readonly string[]): KeyedRequest | undefined {
  const key = request.get("idempotency-key");
  if (key === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw invalid("Idempotency-Key must be 1 to 128 printable characters", "Idempotency-Key");
  }
  return { caller, key, requestHash: hash("sha256", JSON.stringify(meaning)) };
}

type StoredAnswer = { status: number; response: string };

/** The response that a caller got for this key before. @throws ApiError if it was for another request */
export async function findStoredAnswer(
  queries: Queries,
  { caller, key, requestHash }: KeyedRequest,
): Promise<StoredAnswer | undefined> {
  const row = await queries
    .selectFrom("idempotency_keys")
    .select(["request_hash", "status", "response"])
    .where("wallet", "=", caller)
    .where("key", "=", key)
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.request_hash !== requestHash) {
    throw new ApiError(422, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another body");
  }
  return { status: Number(row.status), response: row.response };
}

/** Stores a response in the transaction of its effect. @throws a unique violation if the key was used in the meantime. */
export async function insertStoredAnswer(
  queries: Queries,
  { caller, key, requestHash }: KeyedRequest,
  answer: StoredAnswer,
): Promise<void> {
  await queries
    .insertInto("idempotency_keys")
    .values({
      wallet: caller,
      key,
      request_hash: requestHash,
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

/** The keys that a caller chose, and what was answered. docs/product.md#erase */
export async function forgetStoredAnswers(queries: Queries, wallet: string): Promise<void> {
  await queries.deleteFrom("idempotency_keys").where("wallet", "=", wallet).execute();
}
