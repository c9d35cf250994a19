import pino from "pino";
import { insertCategory } from "../../../core/catalogue/categories.ts";
import { insertStore } from "../../../core/catalogue/store-rows.ts";
import { findStore } from "../../../core/catalogue/stores.ts";
import type { Database } from "../../../core/database/connect.ts";
import type { Queries } from "../../../core/database/transaction.ts";
import { DAY_MS } from "../../../core/rules/iso-time.ts";
import { admitad } from "../../../core/sales/admitad/admitad.ts";
import { awin } from "../../../core/sales/awin/awin.ts";
import { HttpCalls } from "../../../core/sales/http-calls.ts";
import { impact } from "../../../core/sales/impact/impact.ts";
import type { PolledAccount } from "../../../core/sales/network.ts";
import { type AnyNetwork, findNetwork } from "../../../core/sales/networks.ts";
import { ProgrammeRounds } from "../../../core/sales/programme-rounds.ts";
import { AdmitadSimulator } from "../../../scripts/rehearse/simulators/admitad.ts";
import { AwinSimulator } from "../../../scripts/rehearse/simulators/awin.ts";
import type { Programmes } from "../../../scripts/rehearse/simulators/programmes.ts";
import type { Simulator } from "../../../scripts/rehearse/simulators/simulator.ts";
import { ImpactSimulator } from "./impact-simulator.ts";

const CALLS = 100_000;
type Made = { simulator: Simulator & { programmes: Programmes }; account: (api_url: string) => PolledAccount };
const common = { account: "br", poll_seconds: 600, calls_per_minute: CALLS };

export const NETWORKS: Record<string, () => Made> = {
  awin: () => ({
    simulator: new AwinSimulator({ publisherId: "45628", token: "awin-token" }, CALLS),
    account: (api_url) =>
      awin.accountSchema.parse({ network: "awin", publisher_id: "45628", token: "awin-token", api_url, ...common }),
  }),
  admitad: () => ({
    simulator: new AdmitadSimulator({ clientId: "me", clientSecret: "secret" }, CALLS),
    account: (api_url) =>
      admitad.accountSchema.parse({
        ...{ network: "admitad", website_id: "22", client_id: "me", client_secret: "secret", api_url },
        ...common,
      }),
  }),
  impact: () => ({
    simulator: new ImpactSimulator({ sid: "IRsid", token: "impact-token" }, CALLS),
    account: (api_url) =>
      impact.accountSchema.parse({
        network: "impact",
        account_sid: "IRsid",
        token: "impact-token",
        api_url,
        ...common,
      }),
  }),
};

/** A shop with one account, whose programmes are read as often as a test says. */
export async function openShop(
  database: Database,
  name: string,
  assertLease: (queries: Queries) => Promise<void> = async () => {},
) {
  const { simulator, account: accountAt } = (NETWORKS[name] as () => Made)();
  const account = accountAt(await simulator.listen());
  const calls = new HttpCalls(database, account, new AbortController().signal);
  await calls.load();
  const rounds = () =>
    new ProgrammeRounds({
      database,
      network: findNetwork(name) as AnyNetwork,
      account,
      rules: { accounts: [account], sharePercent: 60n },
      calls,
      log: pino({ level: "silent" }),
      assertLease,
      isOver: () => false,
    });
  const { kysely } = database;
  /** Everything that is due now. */
  const read = async () => {
    const reader = rounds();
    let steps = 0;
    while ((await reader.step()) && steps < 10_000) steps++;
    return steps;
  };
  /** As if this much time had passed. */
  const pass = async (ms: number) => {
    const by = BigInt(ms);
    await kysely
      .updateTable("programme_rounds")
      .set(({ eb }) => ({ next_at: 0n, began_at: eb("began_at", "-", by) }))
      .execute();
    await kysely
      .updateTable("programmes")
      .set(({ eb }) => ({
        seen_at: eb("seen_at", "-", by),
        missing_since: eb("missing_since", "-", by),
        groups_due_at: 0n,
      }))
      .execute();
  };
  const nextDay = async () => {
    await pass(DAY_MS);
    return read();
  };
  const addStore = async (advertiser: string, groupCode = "DEFAULT", bps = 480n, isByHand = false) => {
    const storeId = await insertStore(kysely, {
      ...{ name: `Loja ${advertiser}`, country: "Brasil", network: name, account: "br", advertiser_id: advertiser },
      store_url: `https://www.${advertiser}.example/`,
    });
    const followed = { isByHand, agreedBps: bps };
    await insertCategory(kysely, storeId, { category: "Geral", cashbackBps: bps, groupCode, ...followed });
    return storeId;
  };
  const store = async (id: bigint) => {
    const found = await findStore(kysely, id);
    const [category] = found?.categories ?? [];
    return { paused: found?.paused_reason, bps: category?.plainBps, category };
  };
  const rows = () => kysely.selectFrom("programmes").selectAll().orderBy("id").execute();
  const round = () => kysely.selectFrom("programme_rounds").selectAll().executeTakeFirst();
  const approvals = () => kysely.selectFrom("percent_approvals").selectAll().orderBy("id").execute();
  const { programmes } = simulator;
  return {
    database,
    simulator,
    programmes,
    calls,
    rounds,
    read,
    pass,
    nextDay,
    addStore,
    store,
    rows,
    round,
    approvals,
  };
}
