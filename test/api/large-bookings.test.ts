import { expect } from "chai";
import { findAccounts } from "../../core/purchases/account-books.ts";
import { onBothEngines } from "../testing/databases.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

/** docs/product.md#accounts-bookings */
describe("Bookings of one person", () => {
  onBothEngines(({ open, otherEngineTag }) => {
    let api: InProcessApi;
    before(async () => {
      const { database } = await open();
      api = await startInProcess(database);
    });
    after(() => api.stop());

    it(
      `are counted together, however many are sent at once, and to whichever account ${otherEngineTag}`.trim(),
      async () => {
        const [admin] = [await api.admin("owner"), await api.admin("owner")];
        const { kysely } = api.services.database;
        const accounts = ["a", "b"];
        await findAccounts(
          kysely,
          accounts.map((account) => ({ network: "direct", account })),
        );
        const book = (account: string) =>
          admin.post(`/api/admin/accounts/direct/${account}/bookings`, {
            ...{ amount: "2000", arrived_on: "2026-11-28", reference: "TED" },
          });
        const answers = await Promise.all([...accounts, ...accounts, ...accounts, ...accounts].map(book));
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([
          ...Array(2).fill(200),
          ...Array(6).fill(202),
        ]);
        const booked = await kysely.selectFrom("account_bookings").select("amount_cents").execute();
        expect(booked.map(({ amount_cents }) => amount_cents)).to.deep.equal([200_000n, 200_000n]);
      },
    );
  });
});
