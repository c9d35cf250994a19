import { expect } from "chai";
import { type Abi, encodeFunctionData, type Hex } from "viem";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { listShopStores, type ShopStore } from "../../scripts/rehearse/catalogue.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import type { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import {
  administer,
  CONTRACTS_ADMIN,
  CONTRACTS_ADMIN_KEY,
  readAmount,
  roleOf,
  setLimits,
  WIDE_LIMITS,
} from "./support/contracts-admin.ts";
import { type LiveSystem, startLiveSystem } from "./support/live-system.ts";

const BUYERS = 5;
const CENTS = 10_000;
/** Above whatever the sender offers, and below what a node refuses. */
const FIRST_IN_BLOCK = `0x${(10n ** 15n).toString(16)}`;

type Sold = { buyer: Shopper; purchase: number };

/** docs/product.md#payout */
describe("What happens to the chain while a batch of payouts is on its way @deep", function () {
  this.timeout(600_000);
  for (const engine of ["SQLite", "PostgreSQL"] as const)
    describe(engine === "PostgreSQL" ? "on PostgreSQL @release" : `on ${engine}`, () => {
      let postgres: Postgres | undefined;
      let live: LiveSystem;
      let database: Database;
      let store: ShopStore;
      /** What one sale pays, in wei. */
      let each = 0n;
      const buyers: Shopper[] = [];
      before(async () => {
        if (engine === "PostgreSQL") postgres = await startPostgres();
        const databaseUrl = await postgres?.createDatabase();
        live = await startLiveSystem({
          ...(databaseUrl && { databaseUrl }),
          environment: { DEPLOYER_PRIVATE_KEY: CONTRACTS_ADMIN_KEY },
        });
        database = await connect(live.system.databaseUrl);
        store = (await listShopStores(database)).find(({ network }) => network === "direct") as ShopStore;
        each = BigInt(CENTS) * (store.categories[0]?.bps ?? 0n) * 10n ** 12n;
        await until("its name is on the chain", () => isNamed(live.system, store.id));
        for (let one = 0; one < BUYERS; one++) buyers.push(await live.system.shopper());
        await administer(live.system, "grantRole", [roleOf("PAUSER_ROLE"), CONTRACTS_ADMIN]);
      });
      after(async () => {
        await database?.close();
        await live?.stop();
        await postgres?.stop();
      });

      const mine = async (isAutomatic: boolean) => {
        await live.system.anvil.request("evm_setAutomine", isAutomatic);
        await live.system.anvil.request("evm_setIntervalMining", isAutomatic ? 1 : 0);
      };
      /** Everybody buys, and the shop approves and pays; the payouts are queued, and not sent. */
      const sell = async (): Promise<Sold[]> => {
        await live.system.run("scripts/payouts.ts", ["--pause", "gathering a batch"]);
        const network = live.networks.find("direct");
        if (!network) throw new Error("There is no direct shop");
        const keys = new Map<string, Shopper>();
        for (const buyer of buyers) {
          const parts = [{ group: store.categories[0]?.group ?? "", cents: CENTS, commissionCents: CENTS }];
          const sale = { click: await buyer.visit(store.id), advertiserId: store.advertiserId, parts };
          const { id } = live.networks.sell(network, sale);
          live.networks.decide(network, id, (book) => {
            book.approve(id);
            book.pay(id);
          });
          keys.set(id, buyer);
        }
        return until("all payouts are queued", async () => {
          const rows = await database.kysely
            .selectFrom("operations")
            .innerJoin("purchases", "purchases.id", "operations.subject_id")
            .innerJoin("sales", "sales.id", "purchases.sale_id")
            .select(["purchases.id", "sale_key"])
            .where("kind", "=", "pay")
            .where("operations.status", "=", "queued")
            .where("sale_key", "in", [...keys.keys()])
            .orderBy("purchases.id")
            .execute();
          const sold = rows.map(({ id, sale_key }) => ({ buyer: keys.get(sale_key) as Shopper, purchase: Number(id) }));
          if (sold.length === BUYERS) return sold;
          const told = await database.kysely
            .selectFrom("sales")
            .leftJoin("purchases", "purchases.sale_id", "sales.id")
            .leftJoin("operations", "operations.subject_id", "purchases.id")
            .select([
              "sale_key",
              "state",
              "hold_reasons",
              "purchases.id",
              "kind",
              "operations.status",
              "operations.reason",
              "operations.error",
            ])
            .where("sale_key", "in", [...keys.keys()])
            .execute();
          throw new Error(
            `queued are ${sold.length}: ${JSON.stringify(told, (_, value) => (typeof value === "bigint" ? `${value}` : value))}`,
          );
        });
      };
      /** The whole batch is in the node's pool, in no block. */
      const send = async () => {
        await mine(false);
        await live.system.run("scripts/payouts.ts", ["--resume"]);
        await until("the batch is in the pool", async () => {
          const { pending } = await live.system.anvil.request<{ pending: string }>("txpool_status");
          return Number(pending) > 0;
        });
      };
      /** The contracts' admin comes before it in the same block. */
      const comeFirst = async (functionName: string, args: readonly unknown[] = []) => {
        const data = encodeFunctionData({ abi: cashbackDistributorAbi as Abi, functionName, args });
        const call = { from: CONTRACTS_ADMIN, to: distributor(), data, gasPrice: FIRST_IN_BLOCK, gas: "0x30000" };
        await live.system.anvil.request<Hex>("eth_sendTransaction", call);
      };
      const paymentsOf = async (sold: readonly Sold[]) => {
        const ledger = await live.system.ledger();
        return sold.map(({ purchase }) => ledger.paymentsOf(purchase).length);
      };
      /** What each buyer reads; true only if it is what the chain has. */
      const areTold = (sold: readonly Sold[]) =>
        until("what buyers are told is true", async () => {
          const [paid, told] = [await paymentsOf(sold), await toldOf(sold)];
          const isTrue = told.every((one, index) => (one === "paid") === (paid[index] === 1));
          if (!isTrue) throw new Error(`${told} beside ${paid}`);
          return true;
        });
      /** Nobody is told more than the chain has, however often they look. */
      const neverTooMuch = (sold: readonly Sold[]) => {
        let isOver = false;
        const looking = (async () => {
          while (!isOver) {
            const told = await toldOf(sold);
            const paid = await paymentsOf(sold);
            for (const [index, one] of told.entries())
              if (one === "paid") expect(paid[index], `purchase ${sold[index]?.purchase} is told as paid`).to.equal(1);
          }
        })();
        return async () => {
          isOver = true;
          await looking;
        };
      };
      const toldOf = (sold: readonly Sold[]) =>
        Promise.all(
          sold.map(async ({ buyer, purchase }) => {
            const me = await buyer.me();
            return me.purchases.find(({ id }) => id === purchase)?.cashback_state;
          }),
        );

      let rounds = 0;
      /** Nothing is lost, nothing twice, and the books are those of the chain. */
      const expectPaidOnce = async (sold: readonly Sold[]) => {
        rounds++;
        await until("each is paid", async () => (await paymentsOf(sold)).every((count) => count === 1));
        await areTold(sold);
        await live.system.settled();
        expect(await paymentsOf(sold)).to.deep.equal(sold.map(() => 1));
        for (const { address } of buyers) expect(await balanceOf(address)).to.equal(BigInt(rounds) * each);
        const sent = await database.kysely.selectFrom("account_sent").select("gwei").execute();
        const shares = sent.reduce((sum, { gwei }) => sum + gwei, 0n);
        expect(shares, "what its account was sent of its days").to.equal((BigInt(rounds * BUYERS) * each) / 10n ** 9n);
        await until("each sale is settled, and none is held", async () => {
          const states = await database.kysely.selectFrom("sales").select(["state", "hold_reasons"]).execute();
          expect(states).to.deep.equal(states.map(() => ({ state: "settled", hold_reasons: "" })));
          return true;
        });
        const { code, output } = await live.system.run("scripts/reconcile.ts");
        expect(code, output).to.equal(0);
      };

      const distributor = () => live.system.deployment.cashbackDistributor.address;
      const balanceOf = async (address: string) =>
        BigInt(await live.system.anvil.request<Hex>("eth_getBalance", address, "latest"));
      const setBalance = (wei: bigint) =>
        live.system.anvil.request("anvil_setBalance", distributor(), `0x${wei.toString(16)}`);
      let taken = 0n;
      const imposed: Record<string, { impose: () => Promise<unknown>; lift: () => Promise<unknown>; most: number }> = {
        "the contract is paused": {
          impose: () => comeFirst("pause"),
          lift: () => administer(live.system, "unpause"),
          most: 0,
        },
        "the day's cap is reached": {
          impose: async () => {
            const dailyCap = (await readAmount(live.system, "spentToday")) + 2n * each + 1n;
            await comeFirst("setLimits", [{ ...WIDE_LIMITS, maxPayout: each, dailyCap }]);
          },
          lift: () => setLimits(live.system),
          most: 2,
        },
        "the pool has less than the batch": {
          async impose() {
            taken = (await balanceOf(distributor())) - 2n * each - 1n;
            await setBalance(2n * each + 1n);
          },
          lift: async () => setBalance((await balanceOf(distributor())) + taken),
          most: 2,
        },
      };
      /** Payouts that are set aside, and why. */
      const waits = () =>
        database.kysely
          .selectFrom("operations")
          .select(["reason", "error"])
          .where("kind", "=", "pay")
          .where("status", "=", "waiting")
          .where("reason", "is not", null)
          .execute();
      for (const [name, { impose, lift, most }] of Object.entries(imposed))
        it(`${name}: what can be paid is, the rest waits and says so, and goes on by itself`, async () => {
          const sold = await sell();
          await send();
          const end = neverTooMuch(sold);
          await impose();
          await live.system.anvil.request("anvil_mine", "0x1");
          await mine(true);
          await until("what can be paid is, and the rest waits", async () => {
            const paid = (await paymentsOf(sold)).reduce((sum, count) => sum + count, 0);
            const waiting = await waits();
            if (paid === most && waiting.length === BUYERS - most) return true;
            throw new Error(`${paid} are paid: ${JSON.stringify(waiting)}`);
          });
          await areTold(sold);
          await lift();
          await expectPaidOnce(sold);
          await end();
        });

      it("a reorg takes the paid batch away: the same is paid once more, and nobody else", async () => {
        const sold = await sell();
        const head = BigInt(await live.system.anvil.request<Hex>("eth_blockNumber"));
        await live.system.run("scripts/payouts.ts", ["--resume"]);
        await until("each is paid", async () => (await paymentsOf(sold)).every((count) => count === 1));
        const before = (await live.system.ledger()).paymentsOf(sold[0]?.purchase ?? 0);
        const now = BigInt(await live.system.anvil.request<Hex>("eth_blockNumber"));
        await live.system.anvil.request("anvil_reorg", Number(now - head), []);
        await expectPaidOnce(sold);
        const after = (await live.system.ledger()).paymentsOf(sold[0]?.purchase ?? 0);
        expect(after.map((one) => one.transactionHash)).to.deep.equal(before.map((one) => one.transactionHash));
      });
    });
});

async function isNamed({ anvil, deployment }: LiveSystem["system"], storeId: number): Promise<boolean> {
  const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "storeName", args: [storeId] });
  const answer = await anvil.request<Hex>("eth_call", { to: deployment.purchaseNft.address, data });
  return BigInt(`0x${answer.slice(66, 130) || "0"}`) > 0n;
}
