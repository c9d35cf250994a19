import { setTimeout as delay } from "node:timers/promises";
import { createPublicClient, http } from "viem";
import { connect, type Database } from "../../../core/database/connect.ts";
import { outstandingDebt } from "../../../core/purchases/debt.ts";
import { listShopStores, type ShopStore } from "../../../scripts/rehearse/catalogue.ts";
import { type Networks, PUSH_FAULTS, type RehearsedNetwork } from "../../../scripts/rehearse/networks.ts";
import type { SimulatedSale } from "../../../scripts/rehearse/simulators/book.ts";
import type { Shopper } from "../../testing/shopper.ts";
import { until } from "../../testing/until.ts";
import type { FaultSystem } from "./fault-system.ts";
import { type LiveSystem, startLiveSystem } from "./live-system.ts";
import { between, pick, type Random, seededRandom } from "./random.ts";
import type { Supervised } from "./supervised.ts";

const BUYERS = 6;
const CENTS = { BRL: 100n, USD: 500n, EUR: 613n } as const;
const CURRENCIES = ["BRL", "BRL", "BRL", "BRL", "USD", "EUR"] as const;
const FX_RATES = "USD:5.00,EUR:6.13";
/** At 1 CHZ per real: cents × basis points. */
const WEI_PER_CENT_BPS = 10n ** 12n;
/** Some stores mint late, so that changes arrive before the mint. */
const MINT_DELAY_SECONDS = 4n;
const WAIT_MS = 180_000;
/** After this nothing more may be paid. */
const QUIET_MS = 4_000;
const COMMISSION_BPS = 1_200;

/** A sale with its promised cashback, recorded independently of the system under test. */
type History = {
  network: RehearsedNetwork;
  id: string;
  buyer: Shopper;
  store: ShopStore;
  wasPaid: boolean;
};

export type Harm = Record<string, number>;
export type HistoriesOptions = { seed: number; histories: number; databaseUrl?: string; withHarm?: boolean };
export type HistoriesVerdict = { differences: string[]; sales: number; readings: number; tickets: number; harm: Harm };

/**
 * Random sales on a whole system in live mode, with networks that correct, decline, restore and pay at any moment, send
 * false pushes and are unreachable, while processes are killed. At the end every wallet must hold the cashback for what
 * its networks reported last, less its debt; after one more sale for each debtor, exactly that.
 * docs/product.md#sales-order
 */
export async function runHistories(options: HistoriesOptions): Promise<HistoriesVerdict> {
  const world = await World.open(options);
  try {
    return await world.run();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${world.said()}`);
  } finally {
    await world.close();
  }
}

class World {
  readonly #options: HistoriesOptions;
  readonly #random: Random;
  readonly #live: LiveSystem;
  readonly #system: FaultSystem;
  readonly #reader: Supervised;
  readonly #networks: Networks;
  readonly #database: Database;
  readonly #histories: History[] = [];
  readonly #clicks = new Map<string, string>();
  readonly #harm: Harm = {};
  #isOver = false;

  private constructor(options: HistoriesOptions, live: LiveSystem, database: Database) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#live = live;
    this.#system = live.system;
    this.#reader = live.reader;
    this.#networks = live.networks;
    this.#database = database;
  }

  static async open(options: HistoriesOptions): Promise<World> {
    const live = await startLiveSystem({
      seed: options.seed,
      ...(options.databaseUrl && { databaseUrl: options.databaseUrl }),
      environment: { FX_RATES },
    });
    const database = await connect(live.system.databaseUrl);
    await database.kysely
      .updateTable("stores")
      .set({ mint_delay_seconds: MINT_DELAY_SECONDS })
      .where("id", ">", 4n)
      .execute();
    return new World(options, live, database);
  }

  async run(): Promise<HistoriesVerdict> {
    const { histories, withHarm = true } = this.#options;
    const stores = await listShopStores(this.#database);
    const buyers: Shopper[] = [];
    for (let one = 0; one < BUYERS; one++) buyers.push(await this.#system.shopper());
    const harming = withHarm ? this.#harmAlways() : undefined;
    await Promise.all(
      Array.from({ length: histories }, async (_, index) => {
        await delay(between(this.#random, 0, histories * 400));
        await this.#tell(pick(this.#random, buyers), stores[index % stores.length] ?? pick(this.#random, stores));
      }),
    );
    this.#isOver = true;
    await harming;
    for (const network of this.#networks.all) this.#networks.trouble(network, { calls: "none", pushes: "none" });
    await this.#allRead();
    const differences = await this.#settled(buyers, true);
    if (differences.length === 0) {
      await this.#settleDebts(buyers, stores);
      await this.#allRead();
      differences.push(...(await this.#settled(buyers, false)));
      differences.push(...(await this.#statesDiffer()), ...(await this.#marginDiffers()));
      const { code, output } = await this.#system.run("scripts/reconcile.ts");
      if (code !== 0) differences.push(`reconcile: ${output}`);
    }
    return { differences, ...(await this.#counts()), harm: this.#harm };
  }

  /** The life cycle of one sale: sold, changed a few times, and left paid, declined or open. */
  async #tell(buyer: Shopper, store: ShopStore): Promise<void> {
    const random = this.#random;
    const click = await this.#clickOf(buyer, store);
    const network = this.#networks.find(store.network);
    if (!network) throw new Error(store.network);
    const { id } = this.#networks.sell(network, {
      click,
      advertiserId: store.advertiserId,
      currency: pick(random, CURRENCIES),
      parts: Array.from({ length: between(random, 1, 3) }, () => this.#part(store)),
    });
    const history = { network, id, buyer, store, wasPaid: false };
    this.#histories.push(history);
    const wait = () => delay(pick(random, [0, 300, 1_500, 4_000, 7_000]));
    for (let change = between(random, 1, 6); change > 0; change--) {
      await wait();
      this.#change(history, pick(random, ["less", "more", "approve", "approve", "pay", "decline", "restore", "drift"]));
    }
    await wait();
    const ends = history.wasPaid ? ["paid", "declined"] : ["paid", "paid", "declined", "approved", "pending"];
    this.#end(history, pick(random, ends));
  }

  /** Sometimes two sales of one click. */
  async #clickOf(buyer: Shopper, store: ShopStore): Promise<string> {
    const key = `${buyer.address} ${store.id}`;
    const known = this.#clicks.get(key);
    if (known && this.#random() < 0.5) return known;
    const click = await until("a click", () => buyer.visit(store.id), WAIT_MS);
    this.#clicks.set(key, click);
    return click;
  }

  #part(store: ShopStore): SimulatedSale["parts"][number] {
    const cents = between(this.#random, 100, 30_000);
    const group = this.#random() < 0.15 ? "NOBODY-KNOWS" : pick(this.#random, store.categories).group;
    return { group, cents, commissionCents: Math.ceil((cents * COMMISSION_BPS) / 10_000) };
  }

  #change(history: History, verb: string): void {
    const { network, id, store } = history;
    const sale = network.book.find(id);
    const scale = verb === "less" ? between(this.#random, 1, 99) : between(this.#random, 101, 300);
    const scaled = sale.parts.map((part) => ({
      ...part,
      cents: Math.max(1, Math.floor((part.cents * scale) / 100)),
      commissionCents: Math.max(1, Math.ceil((part.commissionCents * scale) / 100)),
    }));
    const parts = verb === "more" && this.#random() < 0.3 ? [...sale.parts, this.#part(store)] : scaled;
    this.#networks.decide(network, id, (book) => {
      if (verb === "less" || verb === "more") book.amend(id, parts);
      if (verb === "approve") book.approve(id);
      if (verb === "decline") book.decline(id);
      if (verb === "restore") book.restore(id);
      // A direct call with an unknown status is rejected.
      if (verb === "drift" && network.simulator && !sale.isPaid) book.drift(id, "under_review");
      if (verb === "pay" && sale.status === "approved") book.pay(id);
    });
    history.wasPaid ||= network.book.find(id).isPaid;
  }

  #end({ network, id }: History, state: string): void {
    this.#networks.decide(network, id, (book) => {
      if (state === "declined") return book.decline(id);
      if (state === "pending") return book.restore(id);
      book.approve(id);
      if (state === "paid") book.pay(id);
    });
  }

  /** Injects one fault after another until the histories are finished. */
  async #harmAlways(): Promise<void> {
    const random = this.#random;
    const { api, indexer } = this.#system;
    while (!this.#isOver) {
      await delay(between(random, 500, 3_000));
      const harm = pick(random, ["reader", "reader", "api", "indexer", "away", "busy", "pushes", "pushes"]);
      this.#harm[harm] = (this.#harm[harm] ?? 0) + 1;
      const network = pick(random, this.#networks.all);
      if (harm === "reader") await this.#reader.kill();
      if (harm === "api") await api.kill();
      if (harm === "indexer") await indexer.kill();
      if (harm === "pushes") {
        const faults = PUSH_FAULTS.filter((fault) => network.simulator || fault === "repeated" || fault === "late");
        this.#networks.trouble(network, { calls: network.calls, pushes: pick(random, ["none", ...faults]) });
      }
      if (harm === "away" || harm === "busy") {
        this.#networks.trouble(network, { calls: harm, pushes: network.pushes });
        await delay(between(random, 500, 2_500));
        this.#networks.trouble(network, { calls: "none", pushes: network.pushes });
      }
    }
  }

  /** Waits until the books hold every sale as its network has it. */
  async #allRead(): Promise<void> {
    await until(
      "every sale is read as its network has it",
      async () => {
        const rows = await this.#database.kysely.selectFrom("sales").selectAll().execute();
        const unread = this.#histories.filter(({ network, id }) => {
          const sale = network.book.find(id);
          const row = rows.find((one) => one.network === network.name && one.sale_key === id);
          const micros = BigInt(sale.parts.reduce((sum, part) => sum + part.cents, 0)) * 10_000n;
          return (
            !row || row.status !== sale.status || row.amount_micros !== micros || (row.payable === 1n) !== sale.isPaid
          );
        });
        if (unread.length > 0) throw new Error(`${unread.map(({ network, id }) => `${network.name} ${id}`)}`);
        return true;
      },
      WAIT_MS,
    );
  }

  /** Waits until every wallet holds what it should, and stays so; one sentence for each that does not. */
  async #settled(buyers: readonly Shopper[], withDebt: boolean): Promise<string[]> {
    let differences: string[] = [];
    const compare = async () => {
      differences = (await Promise.all(buyers.map((buyer) => this.#difference(buyer, withDebt)))).flat();
      return differences.length === 0;
    };
    if (!(await until("the wallets agree", compare, WAIT_MS).catch(() => false))) return differences;
    await delay(QUIET_MS);
    await compare();
    return differences;
  }

  async #difference(buyer: Shopper, withDebt: boolean): Promise<string[]> {
    const holds = await createPublicClient({ transport: http(this.#system.anvil.rpcUrl) }).getBalance({
      address: buyer.address,
    });
    const earned = this.#earned(buyer);
    const owed = (await outstandingDebt(this.#database.kysely, buyer.address)) * 10n ** 9n;
    if (!withDebt && owed !== 0n) return [`${buyer.address} still owes ${owed}`];
    if (holds === earned + owed) return [];
    return [`${buyer.address} holds ${holds}, not ${earned} and ${owed} owed back`];
  }

  /** The cashback for everything the networks pay us for, computed from their books alone. */
  #earned(buyer: Shopper): bigint {
    return this.#histories
      .filter((one) => one.buyer === buyer)
      .reduce((sum, history) => sum + (history.network.book.find(history.id).isPaid ? cashbackOf(history) : 0n), 0n);
  }

  /** One more sale, with a cashback above the buyer's whole debt. */
  async #settleDebts(buyers: readonly Shopper[], stores: readonly ShopStore[]): Promise<void> {
    for (const buyer of buyers) {
      const gwei = await outstandingDebt(this.#database.kysely, buyer.address);
      const store = stores.find((one) => one.network === "direct" && one.id < 5);
      const network = store && this.#networks.find(store.network);
      const [first] = store?.categories ?? [];
      if (gwei === 0n || !store || !network || !first) continue;
      const cents = Math.ceil(Number(gwei) / 1_000 / Number(first.bps)) + 100;
      for (let left = cents; left > 0; left -= 900_000) {
        const part = { group: first.group, cents: Math.min(left, 900_000), commissionCents: left };
        const sale = { click: await buyer.visit(store.id), advertiserId: store.advertiserId, parts: [part] };
        const { id } = this.#networks.sell(network, sale);
        const history = { network, id, buyer, store, wasPaid: true };
        this.#histories.push(history);
        this.#end(history, "paid");
      }
    }
  }

  async #statesDiffer(): Promise<string[]> {
    const rows = await this.#database.kysely.selectFrom("sales").selectAll().execute();
    return this.#histories.flatMap(({ network, id }) => {
      const sale = network.book.find(id);
      const expected = { pending: "open", approved: sale.isPaid ? "settled" : "approved", declined: "declined" };
      const row = rows.find((one) => one.network === network.name && one.sale_key === id);
      const wanted = expected[sale.status as keyof typeof expected];
      return row?.state === wanted ? [] : [`${network.name} ${id} is ${row?.state}, not ${wanted} (${row?.reason})`];
    });
  }

  /** The margin's promised amount must be the cashback of all valid sales, its paid amount that of the paid ones. */
  async #marginDiffers(): Promise<string[]> {
    const { kysely } = this.#database;
    const rows = await kysely.selectFrom("sale_totals").selectAll().execute();
    const promised = rows.reduce((sum, row) => sum + row.promised_cent_bps, 0n) * WEI_PER_CENT_BPS;
    const paid = rows.reduce((sum, row) => sum + row.paid_cent_bps, 0n) * WEI_PER_CENT_BPS;
    const isPaid = this.#histories.filter(({ network, id }) => network.book.find(id).isPaid);
    const earned = isPaid.reduce((sum, history) => sum + cashbackOf(history), 0n);
    if (paid !== earned) return [`The margin has ${paid} paid, not ${earned}`];
    const notDeclined = this.#histories.filter(({ network, id }) => network.book.find(id).status !== "declined");
    const expected = notDeclined.reduce((sum, history) => sum + cashbackOf(history), 0n);
    return promised === expected ? [] : [`The margin has ${promised} promised, not ${expected}`];
  }

  async #counts() {
    const { kysely } = this.#database;
    const readings = (await kysely.selectFrom("sale_revisions").select("id").execute()).length;
    const tickets = (await kysely.selectFrom("nfts").select("token_id").execute()).length;
    return { sales: this.#histories.length, readings, tickets };
  }

  said(): string {
    return [this.#system.api, this.#system.indexer, this.#reader]
      .map((one) => `${one.name}: ${one.output().slice(-2_000)}`)
      .join("\n");
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#database.close();
    await this.#live.stop();
  }
}

/**
 * In wei: each part in reais rounded down to the cent, times the percent of its group, otherwise of the first category.
 */
function cashbackOf({ network, id, store }: History): bigint {
  const { parts, currency } = network.book.find(id);
  const rate = CENTS[currency as keyof typeof CENTS];
  const centBps = parts.reduce((sum, { group, cents }) => {
    const category = store.categories.find((one) => one.group === group) ?? store.categories[0];
    return sum + ((BigInt(cents) * rate) / 100n) * (category?.bps ?? 0n);
  }, 0n);
  return centBps * WEI_PER_CENT_BPS;
}
