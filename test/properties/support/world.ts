import { createHmac } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KyselyPlugin } from "kysely";
import pino from "pino";
import { CatalogueCache } from "../../../api/catalogue/catalogue-cache.ts";
import { createSenders } from "../../../api/create-senders.ts";
import { readEnvironment } from "../../../api/environment.ts";
import { hookRoutes } from "../../../api/hooks/routes.ts";
import { ApiError } from "../../../api/http/api-error.ts";
import type { Identity, Route } from "../../../api/http/route.ts";
import { purchaseRoutes } from "../../../api/purchases/routes.ts";
import type { Services } from "../../../api/services.ts";
import { seedCatalogue } from "../../../core/catalogue/seed.ts";
import { connect, type Database } from "../../../core/database/connect.ts";
import { migrate } from "../../../core/database/migrate.ts";
import { inTransaction } from "../../../core/database/transaction.ts";
import { acquireLease, type Lease } from "../../../core/process/lease.ts";
import { keySigner } from "../../../core/process/signer.ts";
import { fixedRate } from "../../../core/rates/rate-source.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { accountsOf, saleRules } from "../../../core/sales/environment.ts";
import { openAccount } from "../../../core/sender/account.ts";
import { acceptNonces, explainNonces } from "../../../core/sender/foreign-transactions.ts";
import { beginRecovery, endRecovery, PayoutSwitch } from "../../../core/sender/payout-switch.ts";
import type { Sender, Senders } from "../../../core/sender/sender.ts";
import { readCursor, readStoredBlocks, rollBack } from "../../../indexer/store/chain-index.ts";
import type { ChunkWriter } from "../../../indexer/store/index-store.ts";
import { openSqliteWriter } from "../../../indexer/store/sqlite-writer.ts";
import { skipIds } from "../../../scripts/backup/next-ids.ts";
import { copyDatabase, type DatabaseCopy, putBack } from "../../testing/database-copy.ts";
import { TRUSTED_REAIS } from "../../testing/direct-accounts.ts";
import { standIn } from "../../testing/stand-in.ts";
import { MODEL_CONTRACTS, ModelChain } from "./model-chain.ts";

/** A copy of the database, and how far the clock was ahead then. */
export type Backup = { rows: DatabaseCopy; aheadMs: number };
export type Reply = { status: number; body: Record<string, unknown> };

/** An interruption at this step of a round, counted from 1. Nobody else can write inside a transaction. */
export type Interruption = { of: "node" | "node and database"; at: number; act: () => Promise<void> | void };

/** Thrown where a process dies; only committed rows survive. */
export class Crash extends Error {}

export const WALLETS: readonly WalletAddress[] = [
  "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
];
/** The default key of the local chain's operator. */
const OPERATOR = openAccount(keySigner("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"));
const NETWORK = "model";
const NETWORK_SECRET = "a-secret-of-the-model-network-that-is-long";
const SERVICE: Identity = { kind: "service", name: "model" };
const INDEXER_LEASE_MS = 3_600_000;
/** A memory file system if there is one, because each commit is synchronised. */
const directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "torcida-model-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
const realNow = Date.now;
const realElapsed = performance.now.bind(performance);
let template: Promise<string> | undefined;
let count = 0;

/** A migrated, seeded database, created once and copied. */
async function newDatabaseFile(): Promise<string> {
  template ??= (async () => {
    const file = join(directory, "template.db");
    const database = await connect(file);
    await migrate(database);
    await seedCatalogue(database);
    for (const wallet of WALLETS) {
      await database.kysely
        .insertInto("users")
        .values({ wallet, email: "a@b.c", first_name: "A", last_name: "B", created_at: 1n })
        .execute();
    }
    await database.close();
    return file;
  })();
  const file = join(directory, `${++count}.db`);
  copyFileSync(await template, file);
  return file;
}

/**
 * The real api handlers, sender, planner and index writer in one process, on a real SQLite file, with a model of the
 * chain. Nothing happens automatically: every step is explicit, so that a seed reproduces a run.
 */
export class World {
  readonly chain = new ModelChain(OPERATOR);
  readonly database: Database;
  readonly services: Services;
  senders: Senders;
  readonly #file: string;
  readonly #routes: readonly Route[];
  readonly #writer: ChunkWriter;
  readonly #indexerLease: Lease;
  #aheadMs = 0;
  /** The step of the sender's round that is interrupted. */
  #interruption: Interruption | undefined;
  #step = 0;

  static async open(confirmations: number): Promise<World> {
    const file = await newDatabaseFile();
    const database = await connect(file);
    const lease = await acquireLease(database, "indexer", "model", INDEXER_LEASE_MS);
    if (!lease) throw new Error("The indexer's lease is taken");
    return new World(file, database, lease, confirmations);
  }

  private constructor(file: string, database: Database, lease: Lease, confirmations: number) {
    this.#file = file;
    this.database = database;
    this.#indexerLease = lease;
    this.#writer = openSqliteWriter(database, lease);
    Date.now = () => realNow() + this.#aheadMs;
    performance.now = () => realElapsed() + this.#aheadMs;
    const environment = readEnvironment({
      // Sales are reported as soon as their clicks are made.
      SALE_MIN_SECONDS: "0",
      SALE_REF_KEY: "5a".repeat(32),
      AFFILIATE_SECRETS: `${NETWORK}:${NETWORK_SECRET}`,
      HOLD_SECONDS: "60",
      CONFIRMATIONS: String(confirmations),
      PAYOUT_CONFIRMATIONS: String(confirmations),
      SIMULATED_STEP_DELAY_MS: "0",
      BATCH_AGE_MS: "0",
      BATCH_SIZE: "3",
    });
    const accounts = accountsOf(environment).map((one) => ({ ...one, credit_reais: TRUSTED_REAIS }));
    this.services = standIn<Services>({
      accounts,
      saleRules: saleRules(environment, accounts, true),
      approvals: { aboveGwei: undefined, roleOf: () => undefined },
      environment,
      database,
      contracts: MODEL_CONTRACTS,
      rates: fixedRate(environment.WEI_PER_CENT),
      payouts: new PayoutSwitch(database, false),
      ids: { isOpen: async () => true },
      nodes: { isReady: true },
      log: pino({ level: "silent" }),
    });
    this.senders = this.#newSenders();
    const catalogue = new CatalogueCache(database, this.services);
    this.#routes = [...purchaseRoutes(this.services, catalogue), ...hookRoutes(this.services)];
  }

  async close(): Promise<void> {
    Date.now = realNow;
    performance.now = realElapsed;
    await this.#writer.close();
    await this.database.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${this.#file}${suffix}`, { force: true });
  }

  // People and networks ---------------------------------------------------------------------------------------------------

  register(wallet: WalletAddress, storeId: number, amount: string): Promise<Reply> {
    this.services.environment.SIMULATED_PURCHASES = true;
    return this.#call("/api/register-purchase", userOf(wallet), { user: wallet, store_id: storeId, amount });
  }

  mint(wallet: WalletAddress, id: bigint): Promise<Reply> {
    const body = { user: wallet, purchase_id: Number(id), metadata_uri: "" };
    return this.#call("/api/mint-nft", userOf(wallet), body);
  }

  confirm(id: bigint): Promise<Reply> {
    return this.#call("/api/confirm-purchase", SERVICE, { purchase_id: Number(id) });
  }

  distribute(wallet: WalletAddress, amount: string): Promise<Reply> {
    return this.#call("/api/distribute-cashback", SERVICE, { user: wallet, amount });
  }

  /** In live mode: visits a store. Returns the click. */
  async visit(wallet: WalletAddress, storeId: number): Promise<string> {
    this.services.environment.SIMULATED_PURCHASES = false;
    const body = { user: wallet, store_id: storeId, amount: "1" };
    const reply = await this.#call("/api/register-purchase", userOf(wallet), body);
    return (reply.body.click as { id: string }).id;
  }

  hook(event: Record<string, unknown> & { event_id: string }): Promise<Reply> {
    return this.#call("/api/hooks/affiliate/:network", { kind: "anonymous" }, event);
  }

  async #call(path: string, identity: Identity, body: object): Promise<Reply> {
    const found = this.#routes.find((one) => one.path === path && one.method === "post");
    if (!found?.body) throw new Error(`There is no ${path}`);
    const rawBody = JSON.stringify(body);
    const headers = signedHeaders(rawBody);
    const call = {
      identity,
      params: { network: NETWORK },
      rawBody,
      request: { get: (name: string) => headers[name] },
      giveBack: () => {},
    };
    try {
      const reply = await found.run(standIn(call), {
        body: (schema) => schema.parse(body),
        query: (schema) => schema.parse({}),
      });
      return {
        status: ("status" in reply && reply.status) || 200,
        body: ("body" in reply ? reply.body : {}) as Reply["body"],
      };
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, body: { code: error.code, ...error.extra } };
      throw error;
    }
  }

  /** What is declined has been for longer than its network may change it. docs/product.md#return-final */
  async waitOutReturns(): Promise<void> {
    const { kysely } = this.database;
    await kysely.updateTable("sales").set({ return_due_at: 1n }).where("return_due_at", ">", 1n).execute();
  }

  // Processes -------------------------------------------------------------------------------------------------------------

  /** The operator's. */
  get sender(): Sender {
    const [operator] = this.senders.all;
    if (!operator) throw new Error("Nobody sends");
    return operator;
  }

  /** One round of the senders. */
  async round(interruption?: Interruption): Promise<void> {
    this.#interruption = interruption;
    this.#step = 0;
    await this.senders.step();
    this.#interruption = undefined;
  }

  /** A round that dies after a step, followed by the next process. */
  async crashAt(at: number): Promise<void> {
    await this.round({
      of: "node and database",
      at,
      act: () => {
        throw new Crash("killed");
      },
    });
    await this.restartSender();
  }

  /** Another process becomes the sender; the former one does not know yet. */
  async restartSender(): Promise<void> {
    await this.freeSenderLease();
    this.senders = this.#newSenders();
  }

  /** Lets the senders' leases expire. */
  async freeSenderLease(): Promise<void> {
    await this.database.kysely.updateTable("leases").set({ expires_at: 0n }).where("name", "like", "sender%").execute();
  }

  #newSenders(): Senders {
    const { environment, rates, payouts, log } = this.services;
    const isDead = { value: false };
    const step = async (kind: "node" | "database") => {
      if (isDead.value) throw new Crash("is dead");
      if (!this.#interruption?.of.includes(kind)) return;
      this.#step += 1;
      if (this.#interruption?.at !== this.#step) return;
      const { act } = this.#interruption;
      this.#interruption = undefined;
      try {
        await act();
      } catch (error) {
        isDead.value = error instanceof Crash;
        throw error;
      }
    };
    const senders = createSenders({
      environment,
      contracts: MODEL_CONTRACTS,
      rates,
      payouts,
      saleRules: this.services.saleRules,
      approvals: this.services.approvals,
      log,
      database: { ...this.database, kysely: this.database.kysely.withPlugin(new StepPlugin(() => step("database"))) },
      client: this.chain.client(() => step("node")),
    });
    this.services.senders = senders;
    return senders;
  }

  /** The indexer catches up from the last common block, in ranges of at most this many blocks. */
  async index(blocksAtOnce = 5): Promise<void> {
    let cursor = await readCursor(this.database);
    const hashOf = (number: number) => this.chain.blocks[number]?.hash;
    if (cursor && hashOf(cursor.number) !== cursor.hash) {
      const stored = await readStoredBlocks(this.database, { highest: cursor.number, count: 1_000 });
      const ancestor = stored.find((one) => hashOf(one.number) === one.hash);
      await rollBack(this.database, this.#indexerLease, cursor, ancestor);
      cursor = ancestor;
    }
    for (let from = cursor ? cursor.number + 1 : 0; from < this.chain.blocks.length; from += blocksAtOnce) {
      const blocks = this.chain.blocks.slice(from, from + blocksAtOnce);
      const last = blocks.at(-1);
      if (!last) return;
      const step = {
        previous: cursor,
        cursor: { number: last.number, hash: last.hash },
        events: blocks.flatMap((block) => block.events),
        contractEvents: [],
        blocks: blocks.map(({ number, hash, timestamp }) => ({ number, hash, timestamp })),
      };
      await this.#writer.commit(step);
      cursor = { number: last.number, hash: last.hash };
    }
  }

  // Going back ------------------------------------------------------------------------------------------------------------

  async backUp(): Promise<Backup> {
    return { rows: await copyDatabase(this.database), aheadMs: this.#aheadMs };
  }

  /**
   * A backup is restored, the indexer reads on, and the operator runs `npm run restored`, accepts what it lists and resumes
   * payouts; nothing of the chain goes back. docs/product.md#recovery
   */
  async goBack({ rows, aheadMs }: Backup): Promise<void> {
    const { kysely } = this.database;
    const { keys } = this.services.environment;
    await putBack(this.database, rows, new Set(["leases"]));
    await this.#age(this.#aheadMs - aheadMs);
    await inTransaction(kysely, async (queries) => {
      await skipIds(this.database, queries);
      await beginRecovery(queries, { code: "restored", created_at: new Date().toISOString() });
    });
    await this.restartSender();
    // What waits in a node is mined before anything is accepted.
    this.chain.mine();
    await this.index();
    const parties = { database: this.database, client: this.chain.client(async () => {}), contracts: MODEL_CONTRACTS };
    for (const key of keys) while (!(await explainNonces({ ...parties, key })).isWhole) await this.round();
    await inTransaction(kysely, async (queries) => {
      for (const key of keys) await acceptNonces(queries, key, "lost");
      await endRecovery(queries);
    });
    await this.services.payouts.resume();
  }

  /** Time passes: moves the clock of the processes forward and the stored times back. */
  async pass(ms: number): Promise<void> {
    this.#aheadMs += ms;
    await this.#age(ms);
  }

  async #age(ms: number): Promise<void> {
    const ago = BigInt(ms);
    const { kysely } = this.database;
    await kysely
      .updateTable("operations")
      .set((set) => ({ not_before: set("not_before", "-", ago) }))
      .execute();
    await kysely
      .updateTable("purchases")
      .set((set) => ({ payable_at: set("payable_at", "-", ago), approved_at: set("approved_at", "-", ago) }))
      .execute();
    await kysely
      .updateTable("sales")
      .set((set) => ({ approved_at: set("approved_at", "-", ago) }))
      .execute();
    await kysely
      .updateTable("due_purchases")
      .set((set) => ({ due_at: set("due_at", "-", ago) }))
      .execute();
    await kysely
      .updateTable("transaction_hashes")
      .set((set) => ({ created_at: set("created_at", "-", ago), sent_at: set("sent_at", "-", ago) }))
      .execute();
  }
}

function userOf(wallet: WalletAddress): Identity {
  const visitor = { wallet } as Extract<Identity, { kind: "user" }>["visitor"];
  return { kind: "user", visitor, role: undefined };
}

/** Reports every statement after it ran. */
class StepPlugin implements KyselyPlugin {
  readonly #step: () => Promise<void>;

  constructor(step: () => Promise<void>) {
    this.#step = step;
  }

  transformQuery({ node }: Parameters<KyselyPlugin["transformQuery"]>[0]) {
    return node;
  }

  async transformResult({ result }: Parameters<KyselyPlugin["transformResult"]>[0]) {
    await this.#step();
    return result;
  }
}

/** What an affiliate network signs a call with; other calls do not look at them. */
function signedHeaders(body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", NETWORK_SECRET).update(`${timestamp}.${body}`).digest("hex");
  return { "x-torcida-timestamp": timestamp, "x-torcida-signature": signature };
}
