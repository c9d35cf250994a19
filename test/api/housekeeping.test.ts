import { expect } from "chai";
import { sql } from "kysely";
import { clean } from "../../api/operations/housekeeping.ts";
import { findOpenChallenge, insertChallenge, spendNonce } from "../../api/people/sessions.ts";
import { onBothEngines } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";

const WALLET = buyerOf(1);
const HOUR_MS = 3_600_000;
const DAY = 86_400_000n;
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

    it("are clicks that led to nothing, pictures of answered claims and keys of old events, each in its time", async () => {
      const { database } = await open();
      const { kysely } = database;
      const { id: storeId } = await kysely
        .insertInto("stores")
        .values({ name: "A", country: "BR", created_at: 1n, updated_at: 1n })
        .returning("id")
        .executeTakeFirstOrThrow();
      const now = 1_000n * DAY;
      const click = async (token: string, ageDays: bigint, windowDays: bigint) => {
        const created_at = now - ageDays * DAY;
        const { id } = await kysely
          .insertInto("clicks")
          .values({
            ...{ token, wallet: WALLET, store_id: storeId, store_name: "A", terms: "{}" },
            ...{ created_at, expires_at: created_at + windowDays * DAY },
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      };
      for (let index = 0; index < ROWS; index++) await click(`old ${index}`, 131n, 60n);
      await click("young", 129n, 60n);
      await click("long window, ended", 380n, 365n);
      await click("long window, ended nine days ago", 374n, 365n);
      const claim = async (order_ref: string, days: bigint | null) => {
        const { id } = await kysely
          .insertInto("claims")
          .values({
            ...{
              wallet: WALLET,
              store_id: storeId,
              click_id: await click(`claimed ${order_ref}`, 140n, 60n),
              order_ref,
            },
            ...{ amount_cents: 1n, purchased_on: "2026-01-01", created_at: 1n },
            ...{ state: days === null ? "open" : "refused", decided_at: days === null ? null : now - days * DAY },
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        await kysely
          .insertInto("claim_pictures")
          .values({ claim_id: id, wallet: WALLET, type: "image/png", content: order_ref })
          .execute();
      };
      await claim("open", null);
      await claim("answered", 31n);
      await claim("just answered", 29n);
      for (const [event_id, days] of [["old", 131n] as const, ["new", 129n] as const]) {
        await kysely
          .insertInto("affiliate_events")
          .values({
            ...{ network: "acme", event_id, click_id: "", kind: "report", body_hash: "" },
            received_at: now - days * DAY,
          })
          .execute();
      }
      for (let turn = 0; turn < 2; turn++) {
        await clean({ database }, now);
        const clicks = await kysely.selectFrom("clicks").select("token").orderBy("token").execute();
        expect(clicks.map(({ token }) => token)).to.deep.equal([
          "claimed answered",
          "claimed just answered",
          "claimed open",
          "long window, ended nine days ago",
          "young",
        ]);
        const pictures = await kysely.selectFrom("claim_pictures").select("content").orderBy("content").execute();
        expect(pictures.map(({ content }) => content)).to.deep.equal(["just answered", "open"]);
        const events = await kysely.selectFrom("affiliate_events").select("event_id").execute();
        expect(events.map(({ event_id }) => event_id)).to.deep.equal(["new"]);
      }
      await clean({ database }, now + 2n * DAY);
      const { n } = await kysely
        .selectFrom("clicks")
        .select(({ fn }) => fn.countAll<bigint>().as("n"))
        .executeTakeFirstOrThrow();
      expect(Number(n), "those with a claim stay").to.equal(3);
    });
  });
});
