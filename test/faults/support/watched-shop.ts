import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { connect, type Database } from "../../../core/database/connect.ts";
import type { Attention } from "../../../core/rules/api/admin-figures.ts";
import { keysOf } from "../../../core/rules/records.ts";
import { type FaultName, kindOf, type SystemFault } from "../../../core/rules/system-faults.ts";
import { linkStores } from "../../../scripts/rehearse/catalogue.ts";
import { Networks } from "../../../scripts/rehearse/networks.ts";
import { Caller } from "../../api/support/caller.ts";
import { type RateFeed, startRateFeed } from "../../api/support/rate-feed.ts";
import { FastTime } from "../../testing/alerts.ts";
import { freePorts } from "../../testing/free-port.ts";
import { MailServer } from "../../testing/mail-server.ts";
import { type Postgres, startPostgres } from "../../testing/postgres.ts";
import { Shopper } from "../../testing/shopper.ts";
import { until } from "../../testing/until.ts";
import { administer, CONTRACTS_ADMIN_KEY, storesNamed } from "./contracts-admin.ts";
import { ADMIN_KEY, type FaultSystem, SERVICE_TOKEN, startFaultSystem } from "./fault-system.ts";
import { patiently } from "./patiently.ts";
import { type Supervised, supervise } from "./supervised.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

const WEI_PER_CENT = 10n ** 16n;
const RATE_EVERY_MS = 300;
const TELLS_WITHIN_MS = 20_000;
/** `/readyz` always does. */
const TELLERS = ["panel", "doctor"] as const;
/** The counts of the panel's open tasks that tell a fault. */
const TASKS: Partial<Record<FaultName, readonly (keyof Attention)[]>> = {
  wallet_empty: ["low_balances"],
  operations_paused: ["payouts_paused"],
  operations_failed: ["failed_operations", "failed_payments"],
  operations_refused: ["failed_operations"],
  payouts_wait: ["waiting_payments"],
  purchase_undecided: ["undecided_purchases"],
  foreign_transaction: ["foreign_transactions"],
};
const RINGS_WITHIN_MS = 120_000;
const SCRAPE_EVERY_MS = 100;
const SCRAPES_A_LOOK = 3;
/** Longer than most of our rules look back and wait; where minutes pass between scrapes, some of these too. */
const LOOK_BACK_MINUTES = 60;
const LOOK_BACK_SCRAPES = 8;

/** A whole shop on PostgreSQL with two nodes, a rate feed and an SMTP server, monitored by our alert rules. */
export class WatchedShop {
  readonly system: FaultSystem;
  readonly time: FastTime;
  readonly buyer: Shopper;
  /** Between the processes and the database. */
  readonly link: TcpProxy;
  readonly mail: MailServer;
  /** Direct access for the test, bypassing the proxy. */
  readonly database: Database;
  /** The alerts that fired and were resolved once their cause was fixed. */
  readonly caused = new Set<string>();
  /** The faults that `/readyz`, the doctor and the panel told meanwhile. */
  readonly told = new Set<FaultName>();
  readonly #admin: Caller;
  readonly #postgres: Postgres;
  readonly #feed: RateFeed;
  #ticking: NodeJS.Timeout | undefined;

  private constructor(parts: {
    system: FaultSystem;
    time: FastTime;
    buyer: Shopper;
    link: TcpProxy;
    mail: MailServer;
    database: Database;
    postgres: Postgres;
    feed: RateFeed;
    admin: Caller;
  }) {
    ({ system: this.system, time: this.time, buyer: this.buyer, link: this.link, database: this.database } = parts);
    this.mail = parts.mail;
    this.#admin = parts.admin;
    this.#postgres = parts.postgres;
    this.#feed = parts.feed;
    this.rates(true);
  }

  static async open(): Promise<WatchedShop> {
    const postgres = await startPostgres();
    const directUrl = await postgres.createDatabase();
    const url = new URL(directUrl);
    const link = await startTcpProxy(Number(url.port));
    url.port = String(link.port);
    const feed = await startRateFeed();
    feed.say(WEI_PER_CENT);
    const mail = new MailServer();
    await mail.start();
    const [metricsPort = 0] = await freePorts(1);
    const system = await startFaultSystem({
      databaseUrl: url.href,
      withFallback: true,
      environment: {
        METRICS_PORT: String(metricsPort),
        DEPLOYER_PRIVATE_KEY: CONTRACTS_ADMIN_KEY,
        RATE_URL: feed.url,
        RATE_REFRESH_SECONDS: "1",
        RATE_MAX_AGE_SECONDS: "2",
        RECONCILE_INTERVAL_SECONDS: "1",
        BATCH_AGE_MS: "50",
        SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        MAIL_FROM: "avisos@shop.example",
      },
    });
    const ticking = setInterval(() => feed.say(WEI_PER_CENT), RATE_EVERY_MS);
    await storesNamed(system);
    const buyer = await system.shopper();
    const admin = new Caller(system.url, ADMIN_KEY);
    await admin.enter();
    clearInterval(ticking);
    const time = new FastTime([
      { job: "torcida-api", instance: "api", url: `http://127.0.0.1:${metricsPort}/metrics` },
      { job: "torcida-indexer", instance: "indexer", url: `${system.indexer.url}/metrics` },
    ]);
    const database = await connect(directUrl);
    return new WatchedShop({ system, time, buyer, link, mail, database, postgres, feed, admin });
  }

  /**
   * Requires that these alerts fire after the cause, that the faults are told in these words meanwhile, and that the alerts
   * resolve once it is fixed.
   */
  async ring(
    alerts: readonly string[],
    {
      cause,
      meanwhile,
      mend,
      minutes = 1,
      tells = {},
      at,
      where,
    }: {
      cause: () => unknown;
      /** The users' actions in each minute until the alert fires. */
      meanwhile?: () => unknown;
      mend: () => unknown;
      minutes?: number;
      tells?: Tells;
    } & Told,
  ): Promise<void> {
    const pass = async () => {
      for (let scrape = 0; scrape < SCRAPES_A_LOOK; scrape++) {
        await meanwhile?.();
        await this.time.scrape(minutes);
        await delay(SCRAPE_EVERY_MS);
      }
      return this.time.fired(1, LOOK_BACK_MINUTES + LOOK_BACK_SCRAPES * minutes).map(({ alert }) => alert);
    };
    try {
      await cause();
      await this.#passUntil(`${alerts} fire`, pass, (firing) => alerts.every((alert) => firing.includes(alert)));
      await this.expectTold(tells, { at, where });
    } finally {
      // Also where it failed: the tests after it have the same shop.
      await mend();
      this.time.isAging = false;
    }
    await this.#passUntil(`${alerts} are over`, pass, (firing) => !alerts.some((alert) => firing.includes(alert)));
    for (const alert of alerts) this.caused.add(alert);
  }

  async #passUntil(what: string, pass: () => Promise<string[]>, isSo: (firing: string[]) => boolean): Promise<void> {
    const deadline = performance.now() + RINGS_WITHIN_MS;
    for (;;) {
      const firing = await pass();
      if (isSo(firing)) return;
      if (performance.now() > deadline) throw new Error(`Not in time: ${what}; fires: ${firing.join(", ")}`);
    }
  }

  /** Requires that `/readyz`, the panel and the doctor tell these faults in these words. */
  async expectTold(tells: Tells, { at = () => ({ api: this.system.api }), where = TELLERS }: Told = {}): Promise<void> {
    const missing = () => this.#untold(tells, at(), where);
    const isTold = async () => (await missing()).length === 0;
    await until(`all is told of ${Object.keys(tells)}`, isTold, TELLS_WITHIN_MS).catch(async () => {
      throw new Error(`Not told: ${(await missing()).join("; ")}`);
    });
    for (const name of keysOf(tells)) this.told.add(name);
  }

  /** Who does not tell one of these faults in these words, with what is said instead. */
  async #untold(
    tells: Tells,
    { api: { url }, environment }: Teller,
    where: readonly (typeof TELLERS)[number][],
  ): Promise<string[]> {
    const names = keysOf(tells);
    if (names.length === 0) return [];
    // From elsewhere, where only the token opens the reasons.
    const headers = { authorization: `Bearer ${SERVICE_TOKEN}`, "x-forwarded-for": "203.0.113.9" };
    const ready = (await (await fetch(`${url}/readyz`, { headers })).json()) as { faults?: SystemFault[] };
    const isIn = (faults: readonly { name: string; text: string }[] | undefined, name: FaultName) =>
      faults?.some((one) => one.name === name && tells[name]?.test(one.text));
    const missing = names
      .filter((name) => !isIn(ready.faults, name))
      .map((name) => `/readyz ${name}: ${JSON.stringify(ready)}`);
    if (where.includes("panel")) {
      const answer = await new Caller(url, this.#admin.account, this.#admin.token).get("/api/admin/attention");
      const attention: Attention | undefined = answer.body?.attention;
      const isTask = (name: FaultName) => TASKS[name]?.some((task) => isOpen(attention?.[task]));
      for (const name of names) {
        if (!(kindOf(name).isTask ? isTask(name) : isIn(attention?.faults, name)))
          missing.push(`panel ${name}: ${answer.text}`);
      }
    }
    if (missing.length > 0 || !where.includes("doctor")) return missing;
    const { output } = await this.system.run("scripts/doctor.ts", [], { ...environment, PORT: new URL(url).port });
    return names.filter((name) => !tells[name]?.test(output)).map((name) => `doctor ${name}: ${output}`);
  }

  buy(): Promise<number> {
    return patiently(() => this.buyer.buy(1, 10));
  }

  /** The processes' clocks go on, and nothing new happens in them: what was done becomes older. */
  age(): void {
    this.time.isAging = true;
  }

  rates(isOn: boolean): void {
    clearInterval(this.#ticking);
    this.#feed.hangUp();
    if (isOn) this.#ticking = setInterval(() => this.#feed.say(WEI_PER_CENT), RATE_EVERY_MS);
  }

  /** Faults of both nodes. */
  nodes(rates: Parameters<FaultSystem["proxy"]["set"]>[0]): void {
    this.system.proxy.set(rates);
    this.system.fallback?.set(rates);
  }

  async blocks(isOn: boolean): Promise<void> {
    await this.system.anvil.request("evm_setAutomine", isOn);
    await this.system.anvil.request("evm_setIntervalMining", isOn ? 1 : 0);
  }

  /** An operator's command. */
  async script(name: string, ...args: string[]): Promise<string> {
    const { code, output } = await this.system.run(`scripts/${name}.ts`, args);
    if (code !== 0 && code !== 4) throw new Error(`${name} ${args.join(" ")}: ${code} ${output}`);
    return output;
  }

  async change(statement: string): Promise<void> {
    await sql.raw(statement).execute(this.database.kysely);
  }

  administer(functionName: string, args?: readonly unknown[]): Promise<void> {
    return administer(this.system, functionName, args);
  }

  async close(): Promise<void> {
    this.rates(false);
    await this.database.close();
    await this.system.stop();
    this.#feed.stop();
    await this.mail.stop();
    await this.link.stop();
    await this.#postgres.stop();
  }

  /** Awin, its reader and an api in live mode, on the same database. */
  async sellThroughNetworks(environment: Record<string, string>): Promise<WatchedNetworks> {
    const { system, database } = this;
    const directory = mkdtempSync(join(system.directory, "networks-"));
    const networks = await Networks.open(join(directory, "networks.json"), system.url);
    const accounts = join(directory, "accounts.json");
    const polled = networks.accounts().map((account) => ({ ...account, poll_seconds: POLL_SECONDS }));
    writeFileSync(accounts, JSON.stringify(polled.slice(0, 1)), { mode: 0o600 });
    await linkStores(database, "https://shop.example");
    const [metricsPort = 0] = await freePorts(1);
    const own = {
      SIMULATED_PURCHASES: "false",
      AFFILIATE_ACCOUNTS: accounts,
      AFFILIATES_PORT: "0",
      METRICS_PORT: String(metricsPort),
      SALE_MIN_SECONDS: "0",
      RATE_MAX_AGE_SECONDS: "86400",
    };
    const all = { ...system.environment, ...own, ...environment };
    const reader = supervise({ name: "affiliates", script: "core/sales/main.ts", url: "", environment: all });
    reader.start();
    const api = await system.anotherApi({ ...own, ...environment });
    this.time.watch({ job: "torcida-api", instance: "live", url: `http://127.0.0.1:${metricsPort}/metrics` });
    return { networks, reader, api, environment: { ...own, ...environment }, buyer: new Shopper(api.url) };
  }
}

type Tells = Partial<Record<FaultName, RegExp>>;
/** An api, and what its environment has beside the system's. */
type Teller = { api: Pick<Supervised, "url">; environment?: Record<string, string> };
type Told = { at?: (() => Teller) | undefined; where?: readonly (typeof TELLERS)[number][] | undefined };

/** A count, a list, or a reason. */
function isOpen(task: Attention[keyof Attention] | undefined): boolean {
  return Array.isArray(task) ? task.length > 0 : Boolean(task);
}

const POLL_SECONDS = 0.2;

export type WatchedNetworks = {
  networks: Networks;
  reader: Supervised;
  api: Supervised;
  environment: Record<string, string>;
  buyer: Shopper;
};
