import { expect } from "chai";
import { CONTRACTS_ADMIN_KEY, setLimits, storesNamed } from "../faults/support/contracts-admin.ts";
import { until } from "../testing/until.ts";
import type { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { onBothSystems } from "./support/system.ts";

const AN_HOUR_MS = 3_600_000;
const CHZ = 10n ** 18n;
/** Never due: such an operation is retried only by a person. */
const NEVER = 9_000_000_000_000_000n;

onBothSystems(
  "By hand, in simulated mode",
  { SIMULATED_STEP_DELAY_MS: String(AN_HOUR_MS), DEPLOYER_PRIVATE_KEY: CONTRACTS_ADMIN_KEY },
  (system) => {
    let buyer: Caller;
    let service: Caller;
    before(async () => {
      await storesNamed(system());
      buyer = await system().user();
      service = system().service();
    });

    const operationOf = async (kind: "mint" | "confirm" | "pay", id: number) => {
      const { kysely } = await system().database();
      const operations = kysely.selectFrom("operations").selectAll().where("kind", "=", kind);
      return operations.where("subject_id", "=", BigInt(id)).executeTakeFirst();
    };
    /** Waits until a step is planned for a time beyond the end of the test. */
    const plannedForLater = (kind: "mint" | "confirm" | "pay", id: number) =>
      until(`${kind} of ${id} is planned for later`, async () => {
        const operation = await operationOf(kind, id);
        return operation?.status === "queued" && operation.not_before > BigInt(Date.now() + AN_HOUR_MS / 2);
      });

    it("runs each step at once, although its delay of an hour has just started", async () => {
      const id = await buyer.buy(1, 100);
      await plannedForLater("mint", id);
      expect((await buyer.post("/api/mint-nft", { user: buyer.address, purchase_id: id })).status).to.equal(202);
      await buyer.seen(id, (one) => one.status === "pending");

      await plannedForLater("confirm", id);
      expect((await service.post("/api/confirm-purchase", { purchase_id: id })).status).to.equal(202);
      await buyer.seen(id, (one) => one.status === "confirmed");

      await plannedForLater("pay", id);
      const wrong = await service.post("/api/distribute-cashback", { user: buyer.address, amount: 4 });
      expectRefusal(wrong, 409, "WRONG_AMOUNT");
      expect(wrong.body.payable, "what is planned for later is payable").to.equal("5");
      const paid = await service.post("/api/distribute-cashback", { user: buyer.address, amount: 5 });
      expect([paid.status, paid.body.payments]).to.deep.equal([
        202,
        [{ purchase_id: id, amount: "5", status: "queued", tx_hash: null }],
      ]);
      await buyer.seen(id, (one) => one.cashback_state === "paid");
      const again = await service.post("/api/distribute-cashback", { user: buyer.address, amount: 5 });
      expectRefusal(again, 409, "NOTHING_PAYABLE");
    });

    describe("an operation that waits or failed", () => {
      let admin: Caller;
      before(async () => {
        admin = await system().adminCaller();
      });

      const retry = (caller: Caller, id: bigint | number | string) =>
        caller.post(`/api/admin/operations/${id}/retry`, undefined);
      const failForEver = async (id: number) => {
        const { kysely } = await system().database();
        const failed = { status: "failed", reason: "invalid", error: "InvalidBuyer()", not_before: NEVER } as const;
        const change = kysely.updateTable("operations").set(failed).where("kind", "=", "mint");
        const { id: operation } = await change
          .where("subject_id", "=", BigInt(id))
          .returning("id")
          .executeTakeFirstOrThrow();
        return operation;
      };
      const auditOf = async (operation: bigint) => {
        const { kysely } = await system().database();
        const rows = kysely.selectFrom("audit_log").select(["actor", "action", "detail"]);
        return rows.where("subject", "=", `operation ${operation}`).execute();
      };

      it("is listed, retried by an admin, and recorded in the audit log (F40)", async () => {
        const id = await buyer.buy(1, 20);
        const operation = await failForEver(id);
        const listed = await admin.get("/api/admin/operations?state=failed");
        expect(listed.body.rows).to.have.lengthOf(1);
        expect(listed.body.rows[0]).to.include({
          id: Number(operation),
          kind: "mint",
          subject_id: id,
          state: "failed",
          next_try_at: null,
        });
        const ready = await system().anonymous().get("/readyz");
        expect(ready.body.warnings.join()).to.match(/mint: 1 operation failed \(invalid\)/);

        const answer = await retry(admin, operation);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body.operation).to.include({ id: Number(operation), kind: "mint", subject_id: id });
        await buyer.seen(id, (one) => one.status === "pending");
        const [entry, ...others] = await auditOf(operation);
        expect(entry).to.include({ actor: admin.address, action: "operation.retry" });
        expect(others).to.deep.equal([]);
        expectRefusal(await retry(admin, operation), 409, "NOT_STUCK");
      });

      it("above a limit waits again after a retry, and is paid once the limit is raised", async () => {
        await setLimits(system(), { maxPayout: 2n * CHZ });
        const id = await buyer.buy(1, 60);
        await buyer.post("/api/mint-nft", { user: buyer.address, purchase_id: id });
        await buyer.seen(id, (one) => one.status === "pending");
        await service.post("/api/confirm-purchase", { purchase_id: id });
        await plannedForLater("pay", id);
        const asked = await service.post("/api/distribute-cashback", { user: buyer.address, amount: 3 });
        expect(asked.status, asked.text).to.equal(202);
        const waits = async () => {
          const operation = await operationOf("pay", id);
          return operation?.status === "waiting" && operation;
        };
        const { id: operation, reason } = await until("the payout waits", waits);
        expect(reason).to.equal("max_payout");
        const known = async (list: string) => (await admin.get(`/api/admin/${list}?query=${id}`)).body.rows[0];
        expect(await known("payments")).to.include({ reason: "max_payout", limit: "2" });
        expect(await known("purchases")).to.include({ wait_reason: "max_payout", wait_limit: "2" });
        expect((await retry(admin, operation)).status).to.equal(200);
        await until("the payout waits again", waits);
        await setLimits(system());
        await buyer.seen(id, (one) => one.cashback_state === "paid");
      });

      it("cannot be retried by anyone else, or by an invalid id", async () => {
        const id = await buyer.buy(1, 20);
        const operation = await failForEver(id);
        expectRefusal(await retry(system().anonymous(), operation), 401, "UNAUTHORIZED");
        expectRefusal(await retry(buyer, operation), 403, "FORBIDDEN");
        for (const unknown of ["99999999", "0", "-1", "1.5", "abc"]) {
          expectRefusal(await retry(admin, unknown), 404, "NOT_FOUND");
        }
        expect(await auditOf(operation)).to.deep.equal([]);
        expect((await operationOf("mint", id))?.status).to.equal("failed");
      });
    });
  },
);
