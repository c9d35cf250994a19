import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { readSetting } from "../../core/database/settings.ts";
import type { RehearsedNetwork } from "../../scripts/rehearse/networks.ts";
import { Caller } from "../api/support/caller.ts";
import { startArchivingPostgres } from "../testing/archiving-postgres.ts";
import { eraseNow } from "../testing/due-proposals.ts";
import { startPostgres } from "../testing/postgres.ts";
import type { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type LiveSystem, startLiveSystem } from "./support/live-system.ts";

const KEY = "5a".repeat(32);
const QUIET_MS = 4_000;
/** The reader polls every three seconds. */
const SETTLED_MS = 60_000;

/** In the output of `npm run restored`. */
const MOMENTS = [/Nothing is sent/, /were not known/, /nobody has accepted/];

/** Goes back to before the second sale; the system is stopped. */
type GoBack = (live: LiveSystem) => Promise<void>;

/**
 * A sale was minted and paid after the moment that the database is taken back to. Everything is started again, its
 * network reports it again, and it keeps its one ticket and its one payment. docs/runbook/database-lost.md
 */
describe("A database that is older than the chain @release", function () {
  this.timeout(300_000);
  const opened: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.stop();
  });

  const open = async (databaseUrl?: string) => {
    const live = await startLiveSystem({ ...(databaseUrl && { databaseUrl }), environment: { SALE_REF_KEY: KEY } });
    opened.push(live);
    return new Story(live, await live.system.shopper());
  };
  const backedUp = async (story: Story) => {
    const { system } = story.live;
    const { output } = await story.run("backup", "--to", join(system.directory, "backups"));
    return /^(\S+\.jsonl\.gz): \d+ rows/m.exec(output)?.[1] ?? "";
  };
  const restoreTo =
    (databaseUrl: string, file: string): GoBack =>
    async ({ system }) => {
      system.environment.DATABASE_URL = databaseUrl;
      const { code, output } = await system.run("scripts/restore.ts", ["--from", file]);
      expect(code, output).to.equal(0);
    };

  /** Where each database of a story is made. */
  const engines: Record<string, () => Promise<(name: string, live?: LiveSystem) => Promise<string | undefined>>> = {
    SQLite: async () => async (name, live) => live && join(live.system.directory, `${name}.db`),
    PostgreSQL: async () => {
      const postgres = await startPostgres();
      opened.push(postgres);
      return () => postgres.createDatabase();
    },
  };
  for (const [engine, start] of Object.entries(engines)) {
    /** A story that continues with a backup from between its two sales. */
    const restored = async () => {
      const databaseFor = await start();
      const story = await open(await databaseFor("first"));
      await story.sellBefore();
      const goBack = restoreTo((await databaseFor("restored", story.live)) ?? "", await backedUp(story));
      return { story, goBack, after: await story.sellAfter() };
    };

    it(`keeps the ticket and the payment of a sale after a backup is restored, on ${engine} (F56)`, async () => {
      const { story, goBack } = await restored();
      await story.goBack(goBack);
      await story.startAgain();
      await story.expectOneOfEach();
    });

    it(`keeps them though npm run restored is killed at several moments and repeated, on ${engine} (F56)`, async () => {
      const { story, goBack } = await restored();
      await story.goBack(goBack);
      await story.startAgain({ isKilled: true });
      await story.expectOneOfEach();
    });

    it(`holds it and names its likely ticket if the key of the references is lost, and never pays it, on ${engine} (F56)`, async () => {
      const { story, goBack, after } = await restored();
      story.live.system.environment.SALE_REF_KEY = "5b".repeat(32);
      await story.goBack(goBack);
      await story.startAgain();
      const held = await story.inState(after.id, "held");
      const { output } = await story.live.system.run("scripts/doctor.ts");
      expect(output).to.match(/✗ sale references: no key explains the one of sale \d+, so SALE_REF_KEY was replaced/);
      expect(held.reason).to.equal(
        `The chain probably has a ticket of this sale, with a reference that no key explains: ${after.ticket}`,
      );
      await story.expectPaidOnce();
    });
  }

  it("keeps them after the loss of PostgreSQL's disk, recovered to the moment before the sale (F56)", async () => {
    const postgres = await startArchivingPostgres();
    opened.push(postgres);
    const story = await open(postgres.databaseUrl);
    await postgres.backUp();
    await story.sellBefore();
    const leaver = new Caller(story.live.system.url);
    await leaver.enter();
    const moment = await postgres.now();
    await delay(200);
    await story.sellAfter();
    const live = await connect(story.live.system.databaseUrl);
    await eraseNow(leaver, live.kysely);
    await live.close();
    await story.goBack(() => postgres.recoverTo(moment));
    await story.startAgain();
    expect((await leaver.post("/api/check-user", { address: leaver.address })).body.exists, "stays erased").to.equal(
      false,
    );
    await story.expectOneOfEach();
  });
});

/** A buyer's sales at the first network, by one click that every copy of the database has. */
class Story {
  readonly live: LiveSystem;
  readonly #buyer: Shopper;
  readonly #network: RehearsedNetwork;
  #click = "";
  #before = { id: "", ticket: 0 };
  #after = { id: "", ticket: 0 };

  constructor(live: LiveSystem, buyer: Shopper) {
    const network = live.networks.find("awin");
    if (!network) throw new Error("There is no awin");
    this.live = live;
    this.#buyer = buyer;
    this.#network = network;
  }

  async run(script: string, ...args: string[]) {
    const result = await this.live.system.run(`scripts/${script}.ts`, args);
    expect(result.code, result.output).to.equal(0);
    return result;
  }

  async sellBefore(): Promise<void> {
    this.#click = await until("a click", () => this.#buyer.visit(1));
    this.#before = await this.#sell(10_000);
  }

  async sellAfter(): Promise<{ id: string; ticket: number }> {
    this.#after = await this.#sell(20_000);
    return this.#after;
  }

  /** A sale that is paid out. */
  async #sell(cents: number): Promise<{ id: string; ticket: number }> {
    const { networks } = this.live;
    const parts = [{ group: "ANY", cents, commissionCents: cents }];
    const { id } = networks.sell(this.#network, { click: this.#click, advertiserId: "17001", parts });
    networks.decide(this.#network, id, (book) => {
      book.approve(id);
      book.pay(id);
    });
    await this.inState(id, "settled");
    const ticket = await this.#read(async ({ kysely }) => {
      const query = kysely.selectFrom("purchases").innerJoin("sales", "sales.id", "purchases.sale_id");
      return query.select("purchases.id").where("sale_key", "=", id).executeTakeFirstOrThrow();
    });
    return { id, ticket: Number(ticket.id) };
  }

  async inState(saleKey: string, state: string) {
    return until(
      `${saleKey} is ${state}`,
      async () => {
        const sale = await this.#read(({ kysely }) =>
          kysely.selectFrom("sales").selectAll().where("sale_key", "=", saleKey).executeTakeFirst(),
        );
        return sale?.state === state && sale;
      },
      SETTLED_MS,
    ).catch((error: Error) => {
      const { system, reader } = this.live;
      throw new Error(`${error.message}\n${[system.api, reader].map((one) => one.output().slice(-1_500)).join("\n")}`);
    });
  }

  async #read<T>(work: (database: Awaited<ReturnType<typeof connect>>) => Promise<T>): Promise<T> {
    const database = await connect(this.live.system.environment.DATABASE_URL ?? "");
    return work(database).finally(() => database.close());
  }

  async goBack(work: GoBack): Promise<void> {
    const { system, reader } = this.live;
    await Promise.all([system.api, system.indexer, reader].map((one) => one.stop()));
    await work(this.live);
    const sales = await this.#read(({ kysely }) => kysely.selectFrom("sales").select("sale_key").execute());
    expect(sales.map((sale) => sale.sale_key)).to.deep.equal([this.#before.id]);
  }

  /** The runbook's steps, up to the reconciliation. */
  async startAgain({ isKilled = false } = {}): Promise<void> {
    const { system, reader } = this.live;
    const early = await system.run("scripts/restored.ts");
    expect(early.code, "without an index").to.equal(1);
    expect(early.output).to.match(/The index is not complete: it ends at block \d+, the chain at \d+/);
    system.indexer.start();
    await system.indexer.ready();
    const before = isKilled ? await this.#killed([]) : "";
    const output = before + (await this.run("restored")).output;
    expect(output).to.match(/The database does not know nonce \d+ of the operator's key: payBatch, 0x/);
    expect(output).to.not.include("Another program");
    expect(output).to.match(new RegExp(`Ticket ${this.#after.ticket} of .*, paid; adopted once its sale is read`));
    if (isKilled) {
      const again = (await this.run("restored")).output;
      expect(again).to.include("0 transactions of ours were not known to the database");
      await this.#killed(["--accept"]);
      for (const _ of ["first", "second"]) {
        const accepted = (await this.run("restored", "--accept")).output;
        expect(accepted).to.include("1 tickets have no purchase").and.not.include("Once you know each ticket");
      }
      expect(new Set((output + again).match(/(?<=purchase ids go on at )\d+/g)).size, "ids are skipped once").to.equal(
        1,
      );
    }
    system.api.start();
    await system.api.ready("/healthz");
    reader.start();
  }

  /** Kills the command when it prints each of these; payouts are paused all the time. Returns what it printed. */
  async #killed(args: readonly string[]): Promise<string> {
    let all = "";
    for (const moment of args.length > 0 ? MOMENTS.slice(1) : MOMENTS) {
      const env = { ...process.env, ...this.live.system.environment };
      const child = spawn(process.execPath, ["scripts/restored.ts", ...args], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          said += chunk;
          if (moment.test(said)) child.kill("SIGKILL");
        });
      }
      await once(child, "close");
      expect(said).to.match(moment);
      const paused = await this.#read(({ kysely }) => readSetting(kysely, "payouts_paused"));
      expect(paused, said).to.be.a("string").and.not.equal("");
      all += said;
    }
    return all;
  }

  async expectOneOfEach(): Promise<void> {
    await this.inState(this.#after.id, "settled");
    const reconciled = await this.run("reconcile", "--full");
    expect(reconciled.output).to.include("✓ Database and chain agree");
    expect(reconciled.output).to.not.include("no purchase");
    await this.expectPaidOnce();
    const later = await this.#sell(30_000);
    expect(later.ticket).to.be.greaterThan(100_000);
    expect((await this.live.system.ledger()).paymentsOf(later.ticket)).to.have.length(1);
  }

  async expectPaidOnce(): Promise<void> {
    await this.run("payouts", "--resume");
    await delay(QUIET_MS);
    const { mintsOf, paymentsOf, client } = await this.live.system.ledger();
    for (const { ticket } of [this.#before, this.#after])
      expect([mintsOf(ticket).length, paymentsOf(ticket).length], `ticket ${ticket}`).to.deep.equal([1, 1]);
    const count = await client.readContract({
      address: this.live.system.deployment.purchaseNft.address as `0x${string}`,
      abi: [
        {
          type: "function",
          name: "balanceOf",
          inputs: [{ type: "address" }],
          outputs: [{ type: "uint256" }],
          stateMutability: "view",
        },
      ],
      functionName: "balanceOf",
      args: [this.#buyer.address],
    });
    expect(Number(count), "tickets of the buyer").to.equal(2);
  }
}
