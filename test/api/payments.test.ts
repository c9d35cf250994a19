import { expect } from "chai";
import { parse } from "csv-parse/sync";
import type { Queries } from "../../core/database/transaction.ts";
import { dailyRateKeeper } from "../../core/rates/daily-rates.ts";
import type { Rate } from "../../core/rates/rate-source.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { onBothEngines } from "../testing/databases.ts";
import type { Caller } from "./support/caller.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const CHZ = 1_000_000_000n;
const CSV = { accept: "text/csv" };
/** The index of `open`: what is above it is not final. */
const HEAD = 100n;

/** docs/product.md#worth */
describe("What CHZ was and is worth", () => {
  onBothEngines(({ open }) => {
    let api: InProcessApi;
    let kysely: Queries;
    beforeEach(async () => {
      api = await startInProcess((await open()).database);
      kysely = api.services.database.kysely;
      await kysely.insertInto("chain_cursor").values({ id: 1n, block_number: HEAD, block_hash: "0x1" }).execute();
    });
    afterEach(() => api.stop());

    let nextId = 1_000n;
    type Paid = { at: string; chz?: bigint; state?: "paid" | "deferred"; block?: bigint; id?: bigint };
    const pay = (caller: Caller, payments: Paid[]) =>
      kysely
        .insertInto("payouts")
        .values(
          payments.map(({ at, chz = 1n, state = "paid", block = 50n, id = nextId++ }) => ({
            ...{ token_id: id, recipient: caller.address as WalletAddress, amount_gwei: chz * CHZ, state },
            ...{ transaction_hash: `0x${id}`, block_number: block, log_index: 0n, paid_at: BigInt(Date.parse(at)) },
          })),
        )
        .execute();
    const keep = async (at: string, weiPerCent: bigint | undefined) => {
      const rate: Rate =
        weiPerCent === undefined
          ? { kind: "unavailable", reason: "away", lastWeiPerCent: 1n }
          : { kind: "rate", weiPerCent };
      await dailyRateKeeper(kysely, { current: () => rate, stop() {} }, () => Date.parse(at))();
    };
    const rowsOf = (text: string): string[][] => parse(text, { delimiter: ";", bom: true });
    const csvOf = async (caller: Caller, year: number) =>
      (await caller.send("GET", `/api/me/payments?year=${year}`, undefined, CSV)).text;

    it("keeps the first rate of a day of São Paulo for good, and none that is not current", async () => {
      await keep("2025-03-01T02:59:00Z", 10n ** 16n);
      await keep("2025-03-01T03:00:00Z", undefined);
      await keep("2025-03-01T03:10:00Z", 2n * 10n ** 16n);
      await keep("2025-03-01T23:00:00Z", 3n * 10n ** 16n);
      const rows = await kysely.selectFrom("chz_rates").select(["day", "wei_per_cent"]).orderBy("day").execute();
      expect(rows).to.deep.equal([
        { day: "2025-02-28", wei_per_cent: 10n ** 16n },
        { day: "2025-03-01", wei_per_cent: 2n * 10n ** 16n },
      ]);
    });

    it("sums up a year of São Paulo at the rates of its days, and says how many payments have none", async () => {
      const [buyer, other] = [await api.user(), await api.user()];
      await keep("2025-01-01T12:00:00Z", 2n * 10n ** 16n);
      await keep("2025-12-31T12:00:00Z", 4n * 10n ** 16n);
      await pay(buyer, [
        { at: "2025-01-01T02:59:59Z", chz: 100n },
        { at: "2025-01-01T03:00:00Z", chz: 3n },
        { at: "2025-06-01T12:00:00Z", chz: 5n },
        { at: "2026-01-01T02:59:59Z", chz: 8n },
        { at: "2026-01-01T03:00:00Z", chz: 200n },
        { at: "2025-06-02T12:00:00Z", chz: 400n, block: HEAD + 1n },
      ]);
      await pay(other, [{ at: "2025-06-01T12:00:00Z", chz: 1_000n }]);
      const { data } = (await buyer.get("/api/me/payments?year=2025")).body;
      // 3 at 50 cents, 8 at 25 cents; the simulated rate of today is a real.
      const worth = { value: "3.50", without_rate: 1, earlier_rate: 0, value_today: "16.00" };
      expect(data).to.deep.include({ year: 2025, count: 3, amount: "16", ...worth });
      expect([data.years.at(0), data.years.at(-1)]).to.deep.equal([new Date().getFullYear(), 2024]);
      expect((await other.get("/api/me/payments?year=2025")).body.data).to.include({ amount: "1000" });
      const none = { count: 0, amount: "0", value: "0.00", without_rate: 0 };
      expect((await buyer.get("/api/me/payments?year=2023")).body.data).to.deep.include(none);
    });

    it("guesses no value while no rate is known", async () => {
      const buyer = await api.user();
      await pay(buyer, [{ at: "2025-06-01T12:00:00Z" }]);
      api.services.rates = { current: () => ({ kind: "unavailable", reason: "away", lastWeiPerCent: 1n }), stop() {} };
      const { data } = (await buyer.get("/api/me/payments?year=2025")).body;
      expect(data).to.deep.include({ value: "0.00", without_rate: 1, value_today: null });
      expect((await buyer.get("/api/config")).body.data.is_rate_known).to.equal(false);
    });

    it("lists each payment as CSV with its rate and transaction, sums that add up, and no formula", async () => {
      const buyer = await api.user();
      const bought = await buyer.buy(1, 10);
      await kysely.updateTable("purchases").set({ store_name: '=cmd|"x";1' }).execute();
      await keep("2025-07-01T12:00:00Z", 3n * 10n ** 16n);
      await pay(buyer, [
        { at: "2025-07-01T15:30:00Z", id: BigInt(bought), chz: 1n },
        { at: "2025-07-01T16:00:00Z", chz: 2n, state: "deferred" },
        { at: "2025-07-08T16:00:00Z", chz: 3n },
        { at: "2025-07-09T16:00:00Z", chz: 4n },
      ]);
      const [columns, ...rows] = rowsOf(await csvOf(buyer, 2025));
      expect(columns).to.have.length(10);
      expect(rows[0]?.slice(0, 9)).to.deep.equal([
        ...["2025-07-01 12:30", String(bought), `'=cmd|"x";1`, "pago", "1", "0,33333333", "2025-07-01", "0,33"],
        `0x${bought}`,
      ]);
      expect(rows[0]?.at(-1)).to.match(new RegExp(`^http://127.0.0.1:\\d+/tx/0x${bought}$`));
      expect(rows[1]?.slice(3, 8)).to.deep.equal(["crédito a sacar", "2", "0,33333333", "2025-07-01", "0,66"]);
      // Its own day and the six before have no rate; one day later it would be too old.
      expect(rows[2]?.slice(3, 8)).to.deep.equal(["pago", "3", "0,33333333", "2025-07-01", "1,00"]);
      expect(rows[3]?.slice(3, 8)).to.deep.equal(["pago", "4", "sem cotação", "sem cotação", "sem cotação"]);
      expect(rows[4]?.slice(0, 8)).to.deep.equal([
        ...["Soma de 2025", "", "", "", "10", "não inclui 1 pagamento sem cotação", "", "1,99"],
      ]);
      const { data } = (await buyer.get("/api/me/payments?year=2025")).body;
      expect(data).to.include({ count: 4, without_rate: 1, earlier_rate: 1, value: "1.99" });
      expect(rowsOf(await csvOf(buyer, 2024))[1]?.[0]).to.equal("Nenhum pagamento em 2024");
    });

    it("lists them for English spreadsheets too", async () => {
      const buyer = await api.user();
      await kysely
        .insertInto("chz_rates")
        .values({ day: "2025-07-01", wei_per_cent: 10n ** 15n, accepted_at: 0n })
        .execute();
      await pay(buyer, [{ at: "2025-07-02T02:59:59Z", chz: 1_234n }]);
      const text = (await buyer.send("GET", "/api/me/payments?year=2025&language=en", undefined, CSV)).text;
      const [columns, row, sum]: string[][] = parse(text, { bom: true });
      expect(columns?.slice(0, 2)).to.deep.equal(["Date (São Paulo)", "Purchase"]);
      expect(row?.slice(3, 8)).to.deep.equal(["paid", "1234", "10.00", "2025-07-01", "12340.00"]);
      expect(sum?.[0]).to.equal("Sum of 2025");
    });

    it("leaves none out that were paid at one moment, over the pages it is read in", async () => {
      const buyer = await api.user();
      await pay(
        buyer,
        Array.from({ length: 1_001 }, () => ({ at: "2025-07-01T15:30:00Z" })),
      );
      const ids = rowsOf(await csvOf(buyer, 2025))
        .slice(1, -1)
        .map((row) => row[1]);
      expect(new Set(ids).size).to.equal(1_001);
      expect(ids).to.have.length(1_001);
      expect((await buyer.get("/api/me/payments?year=2025")).body.data.count).to.equal(1_001);
    });

    it("keeps no other request waiting while it adds up many", async () => {
      const buyer = await api.user();
      for (let thousands = 0; thousands < 20; thousands++) {
        await pay(
          buyer,
          Array.from({ length: 1_000 }, (_, index) => ({
            at: new Date(Date.parse("2025-01-02T12:00:00Z") + (thousands * 1_000 + index) * 1_000_000).toISOString(),
          })),
        );
      }
      let isAdded = false;
      const sums = buyer.get("/api/me/payments?year=2025").then(({ body }) => {
        isAdded = true;
        return body.data;
      });
      for (let others = 0; others < 5; others++) {
        await buyer.get("/api/config");
        expect(isAdded, "others first").to.equal(false);
      }
      expect(await sums).to.include({ count: 20_000, amount: "20000" });
    });

    it("has beside what a purchase was paid what that was worth on the day", async () => {
      const buyer = await api.user();
      const ids = [await buyer.buy(1, 10), await buyer.buy(1, 20), await buyer.buy(1, 30)];
      await keep("2025-07-01T12:00:00Z", 2n * 10n ** 16n);
      await pay(buyer, [
        { at: "2025-07-01T15:30:00Z", id: BigInt(ids[0] ?? 0), chz: 3n },
        { at: "2025-07-12T15:30:00Z", id: BigInt(ids[1] ?? 0), chz: 3n },
        { at: "2025-07-05T15:30:00Z", id: BigInt(ids[2] ?? 0), chz: 3n },
      ]);
      for (const path of ["/api/purchases", "/api/me"]) {
        const { purchases = [], data } = (await buyer.get(path)).body;
        const worth = (data?.purchases ?? purchases).map((one: { paid_value: string | null }) => one.paid_value);
        expect(worth, path).to.deep.equal(["1.50", null, "1.50"]);
        const days = (data?.purchases ?? purchases).map((one: { paid_rate_day: string | null }) => one.paid_rate_day);
        expect(days, path).to.deep.equal(["2025-07-01", null, null]);
      }
    });

    it("is nobody else's to read, and takes a year", async () => {
      const stranger = await api.user();
      stranger.token = "";
      expect((await stranger.get("/api/me/payments?year=2025")).status).to.equal(401);
      const buyer = await api.user();
      for (const year of ["1999", "2e3", "20255", ""]) {
        expect((await buyer.get(`/api/me/payments?year=${year}`)).status, year).to.equal(400);
      }
    });
  });
});
