import { expect } from "chai";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import type { Database } from "../../core/database/connect.ts";
import type { OperationKind } from "../../core/database/operations.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import type { ChainClient } from "../../core/process/rpc/chain-client.ts";
import { purchaseEncoders } from "../../core/purchases/encoders.ts";
import { withdrawPurchase } from "../../core/purchases/purchase-rows.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { type Failure, noteSentShares, requeueOperations } from "../../core/sender/moves.ts";
import { enqueue, findOperation, listDue } from "../../core/sender/queue.ts";
import { insertTransaction } from "../../core/sender/transactions.ts";
import { RULES } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";
import { insertPlainPurchase } from "../testing/plain-purchase.ts";

const ADDRESS: WalletAddress = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const CONTRACTS = { purchaseNft: ADDRESS, cashbackDistributor: ADDRESS };
/** The database decides whether a purchase is still wanted. */
const NO_CHAIN = {} as ChainClient;

describe("A purchase that is returned while its transaction is on its way", () => {
  onBothEngines(({ open }) => {
    const encoders = purchaseEncoders({ contracts: CONTRACTS, client: NO_CHAIN, payer: ADDRESS, rules: RULES });
    let database: Database;
    let kysely: Queries;
    let nonce = 0n;
    beforeEach(async () => {
      ({ database } = await open());
      ({ kysely } = database);
      await seedCatalogue(database);
    });

    const buy = () => insertPlainPurchase(kysely);
    const send = async (kind: OperationKind, ids: readonly bigint[]) => {
      await enqueue(
        kysely,
        ids.map((subjectId) => ({ kind, subjectId, amountGwei: 5n })),
      );
      const operations = await listDue(kysely, kind, 10);
      return inTransaction(kysely, (queries) =>
        insertTransaction(queries, {
          sender: ADDRESS,
          nonce: ++nonce,
          to: ADDRESS,
          data: "0x",
          gasLimit: 1n,
          fencingToken: 1n,
          operations,
          signed: { hash: `0x${nonce}`, raw: "0x", maxFeeWei: 1n, maxPriorityFeeWei: 1n },
        }),
      );
    };
    const statusOf = async (kind: OperationKind, id: bigint) => (await findOperation(kysely, kind, id))?.status;
    const isQueuedAgain = async (kind: OperationKind, id: bigint) => {
      await kysely.updateTable("operations").set({ not_before: 0n }).where("status", "!=", "withdrawn").execute();
      return (await listDue(kysely, kind, 10)).some((one) => one.subject_id === id);
    };

    for (const failure of ["reverted", "nonce_lost"] satisfies Failure[]) {
      for (const kind of ["pay", "confirm", "mint"] satisfies OperationKind[]) {
        it(`is not sent again after its ${kind} has ${failure === "reverted" ? "reverted" : "lost its nonce"}, and the others are (F44)`, async () => {
          const [returned, other] = [await buy(), await buy()];
          const transaction = await send(kind, [returned, other]);
          await inTransaction(kysely, (queries) => withdrawPurchase(queries, returned));
          await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transaction, failure));
          expect(await statusOf(kind, returned)).to.equal("withdrawn");
          expect(await isQueuedAgain(kind, returned)).to.equal(false);
          expect(await isQueuedAgain(kind, other)).to.equal(true);
        });
      }
    }

    for (const failure of ["reverted", "nonce_lost"] satisfies Failure[]) {
      it(`takes nothing of its account's share of the day once it has ${failure === "reverted" ? "reverted" : "lost its nonce"}`, async () => {
        const ids = [await buy(), await buy()];
        const transaction = await send("pay", ids);
        await kysely.updateTable("operations").set({ share_id: 7n }).execute();
        const operations = await kysely.selectFrom("operations").selectAll().execute();
        await noteSentShares(kysely, operations.concat(operations));
        await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transaction, failure));
        const sent = await kysely.selectFrom("account_sent").select(["account_id", "gwei"]).execute();
        expect(sent, "of four of five gwei, these two").to.deep.equal([{ account_id: 7n, gwei: 10n }]);
      });
    }

    it("is still cancelled, as the return requires", async () => {
      const returned = await buy();
      const transaction = await send("cancel", [returned]);
      await inTransaction(kysely, (queries) => withdrawPurchase(queries, returned));
      await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transaction, "reverted"));
      expect(await isQueuedAgain("cancel", returned)).to.equal(true);
    });
  });
});
