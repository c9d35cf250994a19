import { expect } from "chai";
import { type RawBuilder, sql } from "kysely";
import { listUsers } from "../../api/people/users.ts";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { listStorePage } from "../../core/catalogue/store-list.ts";
import type { Database } from "../../core/database/connect.ts";
import { CursorError } from "../../core/database/lists/page.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { listOperationPage, listPayouts } from "../../core/purchases/payout-list.ts";
import { listPanelPurchases } from "../../core/purchases/purchase-list.ts";
import { readPanelPurchases } from "../../core/purchases/waiting.ts";
import { searchKey } from "../../core/rules/text.ts";
import { onBothEngines } from "../testing/databases.ts";

type ListRequest = { sort?: string; state?: string; query?: string; before?: string; limit: number };
type PageOf = (page: ListRequest) => Promise<{ keys: unknown[]; nextBefore: number | string | null; total: number }>;

const ROWS = 240;
async function listPurchaseIds(queries: Queries, page: ListRequest) {
  const { rows, ...rest } = await listPanelPurchases(queries, page);
  return { ...rest, keys: rows.map((row) => row.id) };
}

/** Few distinct amounts, so that pages end between equal ones. */
const amountOf = (id: number) => 100 * (1 + (id % 3));
const walletOf = (id: number) => `0x${(id % 7).toString(16).padStart(2, "0").padEnd(40, "a")}`;

/** As the rows were filled. */
const stateOf = ({ id }: { id: bigint }) => STATES[Number(id) % STATES.length];
const STATES = [
  ...(["processing", "pending", "confirmed", "paid", "settled", "cancelled", "held", "processing"] as const),
];

describe("Lists of the panel", () => {
  onBothEngines(({ open }) => {
    let database: Database;

    beforeEach(async () => {
      ({ database } = await open());
      await seedCatalogue(database);
      await fill(database);
    });

    it("page through every purchase once, in every order, state and search", async () => {
      const { kysely } = database;
      const all = await readPanelPurchases(
        kysely,
        Array.from({ length: ROWS }, (_, index) => BigInt(index + 1)),
      );
      expect(all.map(({ state }) => state)).to.deep.equal(all.map(stateOf));
      const states = new Set(all.map(stateOf));
      expect([...states]).to.have.members([
        "held",
        "processing",
        "pending",
        "confirmed",
        "paid",
        "settled",
        "cancelled",
      ]);
      for (const state of [undefined, ...states]) {
        for (const query of [undefined, "0x", "0x03", walletOf(5), "ORD-1"]) {
          const expected = all.filter(
            (row) =>
              (state === undefined || stateOf(row) === state) &&
              (query === undefined ||
                row.wallet.startsWith(query) ||
                (row.sale_id !== null && `ORD-${row.sale_id}`.startsWith(query))),
          );
          for (const sort of ["id", "-id", "amount", "-amount"]) {
            const direction = sort.startsWith("-") ? -1 : 1;
            const ids = expected
              .toSorted((one, other) => {
                const byAmount = sort.endsWith("amount") ? Number(one.amount_cents - other.amount_cents) : 0;
                return direction * (byAmount || Number(one.id - other.id));
              })
              .map((row) => row.id);
            const asked = { sort, ...(state ? { state } : {}), ...(query ? { query } : {}) };
            const read: PageOf = (page) => listPurchaseIds(kysely, page);
            expect(await readAll(read, asked, ids.length), JSON.stringify(asked)).to.deep.equal(ids);
          }
        }
      }
    });

    it("find a purchase by its number, its order and the hash of any of its transactions", async () => {
      const { kysely } = database;
      const find = async (query: string) => (await listPurchaseIds(kysely, { query, limit: 50 })).keys;
      expect(await find("17")).to.deep.equal([17n]);
      expect(await find("ORD-6")).to.deep.equal([69n, 66n, 63n, 60n, 6n]);
      expect(await find("key-9")).to.deep.equal([9n]);
      expect(await find(`0x${"e".repeat(63)}1`)).to.deep.equal([9n, 5n]);
      expect(await find(`0x${"E".repeat(63)}1`)).to.deep.equal([9n, 5n]);
      for (const nothing of ["99999", "ord-6", "%", "_", "'; drop table purchases", "0x99", `0x${"0".repeat(64)}`])
        expect(await find(nothing), nothing).to.deep.equal([]);
    });

    it("page through payouts by amount, and find them by the purchase's number and wallet", async () => {
      const { kysely } = database;
      const read: PageOf = async (page) => {
        const { rows, ...rest } = await listPayouts(kysely, page);
        return { ...rest, keys: rows.map((row) => row.subject_id) };
      };
      const paid = Array.from({ length: ROWS }, (_, index) => BigInt(index + 1)).filter((id) => id % 2n === 1n);
      const byAmount = paid.toSorted(
        (one, other) => amountOf(Number(one)) - amountOf(Number(other)) || Number(one - other),
      );
      expect(await readAll(read, { sort: "amount" }, paid.length)).to.deep.equal(byAmount);
      expect(await readAll(read, { state: "failed" }, 24)).to.have.lengthOf(24);
      expect((await read({ query: "7", limit: 9 })).keys).to.deep.equal([7n]);
      expect((await read({ query: "8", limit: 9 })).keys, "a mint only").to.deep.equal([]);
      const ofWallet = paid.filter((id) => walletOf(Number(id)).startsWith("0x03"));
      expect(await readAll(read, { query: "0x03", sort: "id" }, ofWallet.length)).to.deep.equal(ofWallet);
      const stuck = await listOperationPage(kysely, { limit: 500 });
      expect(new Set(stuck.rows.map((row) => row.status))).to.deep.equal(new Set(["failed", "waiting"]));
      expect(stuck.total).to.equal(stuck.rows.length);
    });

    it("find users by wallet, e-mail, first and last name, without accents and capitals", async () => {
      const { kysely } = database;
      const find = async (query: string) =>
        (await listUsers(kysely, { query, limit: 50 })).rows.map((row) => row.email);
      for (const query of ["joao", "JOÃO d", "silva", "joao@", walletOf(1).slice(0, 6)])
        expect(await find(query), query).to.deep.equal(["joao@example.com"]);
      expect(await find("oao")).to.deep.equal([]);
      const read: PageOf = async (page) => {
        const { rows, ...rest } = await listUsers(kysely, page);
        return { ...rest, keys: rows.map((row) => row.wallet) };
      };
      for (const sort of ["name", "-name", "email", "created_at", "-created_at"])
        expect(new Set(await readAll(read, { sort }, 7, 2)), sort).to.have.property("size", 7);
      expect(await readAll(read, { state: "erased" }, 1)).to.deep.equal([walletOf(6)]);
    });

    it("tell drafts from stores that are ready", async () => {
      const { kysely } = database;
      const names = async (state: string, query?: string) =>
        (await listStorePage(kysely, { state, sort: "name", limit: 50, ...(query ? { query } : {}) })).rows.map(
          (row) => row.name,
        );
      await kysely.updateTable("stores").set({ affiliate_link: null, store_url: null }).where("id", "=", 2n).execute();
      expect(await names("ready")).to.have.lengthOf(7);
      expect(await names("draft")).to.have.lengthOf(1);
      const [first = ""] = await names("ready");
      expect(await names("ready", first.slice(0, 4).toUpperCase())).to.include(first);
    });

    it("page through more matches than are counted", async () => {
      const { kysely, engine } = database;
      const many = 10_400;
      const numbers =
        engine === "sqlite"
          ? sql`(with recursive n (i) as (select ${ROWS + 1} union all select i + 1 from n where i < ${many}) select i from n) s`
          : sql`generate_series(${ROWS + 1}::bigint, ${many}::bigint) s (i)`;
      await sql`insert into purchases (id, wallet, store_id, store_name, amount_cents, cashback_bps, bonus_bps, source,
          metadata_uri, click_id, created_at, counted_status)
        select i, ${walletOf(1)}, 1, 'Loja', 100 * (1 + i % 3), 500, 0, 'simulated', '', 'many-' || i, i, 1 from ${numbers}`.execute(
        kysely,
      );
      await kysely.updateTable("purchases").set({ held_at: 9n }).where("id", "in", [5_000n, 5_001n]).execute();
      const read: PageOf = (page) => listPurchaseIds(kysely, page);
      const all = await kysely.selectFrom("purchases").select(["id", "amount_cents"]).execute();
      for (const sort of ["-id", "amount"]) {
        const ids = all
          .toSorted((one, other) =>
            sort === "-id"
              ? Number(other.id - one.id)
              : Number(one.amount_cents - other.amount_cents) || Number(one.id - other.id),
          )
          .map((row) => row.id);
        for (const asked of [{ sort }, { sort, query: "0x" }])
          expect(await readAll(read, asked, 10_001, 2_000), JSON.stringify(asked)).to.deep.equal(ids);
        const few = { sort, query: "0x01", state: "held" };
        expect(await readAll(read, few, 6), JSON.stringify(few)).to.include.members([5_000n, 5_001n]);
        const pending = await readAll(read, { sort, query: "0x01", state: "pending" }, 10_001, 2_000);
        expect(new Set(pending).size).to.equal(pending.length);
        expect(pending.length).to.be.greaterThan(10_001);
      }
    });

    it("continue through a broad search part by part, and skip nothing", async () => {
      const { kysely, engine } = database;
      const first = 20_000;
      const numbers =
        engine === "sqlite"
          ? sql`(with recursive n (i) as (select ${first} union all select i + 1 from n where i < ${2 * first}) select i from n) s`
          : sql`generate_series(${first}::bigint, ${2 * first}::bigint) s (i)`;
      // The older half is of one wallet, and no row of it is in the newer half's state.
      const isOld = sql`i < ${first + first / 2}`;
      await sql`insert into purchases (id, wallet, store_id, store_name, amount_cents, cashback_bps, bonus_bps, source,
          metadata_uri, click_id, created_at, counted_status)
        select i, case when ${isOld} then ${walletOf(2)} else ${walletOf(1)} end, 1, 'Loja', 100, 500, 0, 'simulated', '',
          'many-' || i, i, case when ${isOld} then 1 else 2 end from ${numbers}`.execute(kysely);
      for (const sort of ["-id", "amount"]) {
        const pages: { keys: unknown[]; nextBefore: unknown; total: number }[] = [];
        const read = async (asked: object) => {
          pages.length = 0;
          for (let before: string | undefined; ; ) {
            const page = await listPurchaseIds(kysely, { ...asked, ...(before ? { before } : {}), sort, limit: 2_000 });
            pages.push(page);
            if (page.nextBefore === null) return pages.flatMap(({ keys }) => keys);
            before = String(page.nextBefore);
          }
        };
        const others = { query: walletOf(2), state: "confirmed" };
        const few = (await read({ query: "0x0", state: "confirmed" })) as bigint[];
        expect(few.length).to.be.greaterThan(first / 2);
        expect((await read(others)).every((id) => (id as bigint) < BigInt(first))).to.equal(true);
        expect(pages.length, "parts").to.be.greaterThan(1);
        expect(pages[0]?.total).to.equal(10_001);
        const ofWallet = await read({ query: walletOf(2) });
        expect(new Set(ofWallet).size).to.equal(ofWallet.length);
        const known = await kysely
          .selectFrom("purchases")
          .select("id")
          .where("wallet", "=", walletOf(2) as `0x${string}`)
          .execute();
        expect(ofWallet).to.have.members(known.map(({ id }) => id));
        if (sort === "-id")
          expect(ofWallet).to.deep.equal(known.map(({ id }) => id).toSorted((one, other) => Number(other - one)));
      }
    });

    it("reject a cursor of another order", async () => {
      for (const [sort, before] of [
        ["id", "12_7"],
        ["amount", "7"],
        ["amount", "x_7"],
      ] as const) {
        let refusal: unknown;
        await listPurchaseIds(database.kysely, { sort, before, limit: 5 }).catch((error: unknown) => (refusal = error));
        expect(refusal, `${sort} ${before}`).to.be.instanceOf(CursorError);
      }
    });
  });
});

async function readAll(read: PageOf, asked: object, total: number, limit = 17): Promise<unknown[]> {
  const keys: unknown[] = [];
  for (let before: string | undefined; ; ) {
    const page = await read({ ...asked, ...(before === undefined ? {} : { before }), limit });
    expect(page.total).to.equal(total);
    keys.push(...page.keys);
    if (page.nextBefore === null) return keys;
    before = String(page.nextBefore);
    expect(page.keys).to.have.lengthOf(limit);
  }
}

/** Purchases in every state with few wallets and amounts, every third a sale's. */
async function fill({ kysely, engine }: Database): Promise<void> {
  const numbers = Array.from({ length: ROWS }, (_, index) => index + 1);
  const people = [
    ["Ana", "Souza"],
    ["João", "da Silva"],
    ["Rui", "Costa"],
    ["Rui", "Costa"],
    ["Bia", "Lima"],
    ["Caio", "Melo"],
    ["", ""],
  ];
  for (const [index, [first = "", last = ""]] of people.entries()) {
    const email = first && `${searchKey(first)}@example.com`;
    const keys = {
      email_key: email,
      name_key: searchKey(`${first} ${last}`),
      last_name_key: searchKey(last.replace("da ", "")),
    };
    await kysely
      .insertInto("users")
      .values({
        wallet: walletOf(index) as `0x${string}`,
        email,
        first_name: first,
        last_name: last,
        created_at: 5n,
        ...keys,
        erased_at: first ? null : 9n,
      })
      .execute();
  }
  const sold = numbers.filter((id) => id % 3 === 0);
  const click = { store_id: 1n, store_name: "Loja", terms: "{}", created_at: 1n, expires_at: 2n };
  await kysely
    .insertInto("clicks")
    .values({ ...click, token: "a".repeat(26), wallet: walletOf(0) as `0x${string}` })
    .execute();
  await kysely
    .insertInto("sales")
    .values(
      sold.map((id) => ({
        id: BigInt(id),
        network: "awin",
        account: "br",
        sale_key: `key-${id}`,
        order_ref: `ORD-${id}`,
        status: "approved" as const,
        currency: "BRL",
        amount_micros: 1n,
        report: "{}",
        state: "approved" as const,
        read_at: 1n,
        created_at: 1n,
        updated_at: 1n,
      })),
    )
    .execute();
  const shape = (id: number) => id % STATES.length;
  await kysely
    .insertInto("purchases")
    .values(
      numbers.map((id) => ({
        id: BigInt(id),
        wallet: walletOf(id) as `0x${string}`,
        store_id: 1n,
        store_name: "Loja",
        amount_cents: BigInt(amountOf(id)),
        cashback_bps: 500n,
        bonus_bps: 0n,
        source: "simulated" as const,
        metadata_uri: "",
        click_id: `click-${id}`,
        created_at: BigInt(id),
        token_slug: null,
        sale_id: id % 3 === 0 ? BigInt(id) : null,
        counted_status: [null, 1n, 2n, 2n, 2n, 3n, 2n, 0n][shape(id)] ?? null,
        counted_paid_gwei: shape(id) === 3 ? 5n : 0n,
        settled_at: shape(id) === 4 || shape(id) === 5 ? 7n : null,
        held_at: shape(id) === 6 || shape(id) === 5 ? 8n : null,
      })),
    )
    .execute();
  const transaction = {
    sender: walletOf(0) as `0x${string}`,
    to_address: walletOf(0) as `0x${string}`,
    data: "0x",
  } as const;
  await kysely
    .insertInto("transactions")
    .values({
      ...transaction,
      id: 1n,
      nonce: 1n,
      gas_limit: 1n,
      status: "signed",
      fencing_token: 1n,
      created_at: 1n,
      updated_at: 1n,
    })
    .execute();
  const hash = { raw: "0x" as const, max_fee_wei: 1n, max_priority_fee_wei: 1n, created_at: 1n };
  await kysely
    .insertInto("transaction_hashes")
    .values({ hash: `0x${"e".repeat(63)}1`, transaction_id: 1n, ...hash })
    .execute();
  await kysely
    .insertInto("operations")
    .values(
      numbers.map((id) => ({
        kind: id % 2 === 1 ? ("pay" as const) : ("mint" as const),
        subject_id: BigInt(id),
        amount_gwei: BigInt(amountOf(id)),
        status: (["waiting", "done", "queued", "queued", "failed"] as const)[id % 5] ?? "queued",
        transaction_id: id === 5 || id === 9 ? 1n : null,
        not_before: 1n,
        since: 1n,
        created_at: 1n,
        updated_at: 1n,
      })),
    )
    .execute();
  if (engine === "postgres") {
    const next: RawBuilder<unknown> = sql`select setval(pg_get_serial_sequence('purchases', 'id'), ${ROWS})`;
    await next.execute(kysely);
  }
}
