import { expect } from "chai";
import { sql } from "kysely";
import { clean } from "../../api/operations/housekeeping.ts";
import { findOpenChallenge, insertChallenge, spendNonce } from "../../api/people/sessions.ts";
import { onBothEngines } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";

const WALLET = buyerOf(1);
const HOUR_MS = 3_600_000;
/** More than one page of a deletion. */
const ROWS = 1_201;

describe("Expired rows", () => {
  onBothEngines(({ open }) => {
    it("are not those that only a fast host takes for expired", async () => {
      const { database } = await open();
      const challenge = { nonce: "1", wallet: WALLET, purpose: "login", message: "" } as const;
      await insertChallenge(database.kysely, { ...challenge, expiresAt: BigInt(Date.now() + HOUR_MS) });
      const realNow = Date.now;
      try {
        Date.now = () => realNow() + 2 * HOUR_MS;
        await clean({ database });
        expect(await findOpenChallenge(database.kysely, challenge)).to.deep.equal({ message: "" });
        expect(await spendNonce(database.kysely, "1")).to.equal(true);
      } finally {
        Date.now = realNow;
      }
    });

    it("are deleted, all of them, and no others", async () => {
      const { database } = await open();
      const { kysely } = database;
      const names = { email: "ana@example.com", first_name: "Ana", last_name: "Silva" };
      await kysely
        .insertInto("users")
        .values({ ...names, wallet: WALLET, created_at: 1n })
        .execute();
      const now = Date.now();
      for (const [name, at, count] of [
        ["old", now - 25 * HOUR_MS, ROWS],
        ["new", now - HOUR_MS, 3],
      ] as const) {
        const each = Array.from({ length: count }, (_, index) => `${name} ${index}`);
        const rows = (row: (key: string) => ReturnType<typeof sql>) => sql.join(each.map(row));
        await sql`insert into sessions (token_hash, wallet, kind, created_at, last_seen_at)
          values ${rows((key) => sql`(${key}, ${WALLET}, 'nonce', ${at}, ${at})`)}`.execute(kysely);
        await sql`insert into sign_in_nonces (nonce, wallet, purpose, message, expires_at)
          values ${rows((key) => sql`(${key}, ${WALLET}, 'login', '', ${at + 2 * HOUR_MS})`)}`.execute(kysely);
        await sql`insert into idempotency_keys (wallet, key, request_hash, status, response, created_at)
          values ${rows((key) => sql`(${WALLET}, ${key}, '', 200, '{}', ${at})`)}`.execute(kysely);
      }
      await clean({ database });
      const kept = async (table: "sessions" | "sign_in_nonces" | "idempotency_keys", column: string) =>
        (await sql<{ key: string }>`select ${sql.ref(column)} as key from ${sql.table(table)}`.execute(kysely)).rows
          .map(({ key }) => key)
          .toSorted();
      for (const [table, column] of [
        ["sessions", "token_hash"],
        ["sign_in_nonces", "nonce"],
        ["idempotency_keys", "key"],
      ] as const)
        expect(await kept(table, column), table).to.deep.equal(["new 0", "new 1", "new 2"]);
    });
  });
});
