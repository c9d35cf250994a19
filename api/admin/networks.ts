import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { ANSWER_TOO_LARGE } from "../../core/process/outside.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { networksQuerySchema, networksResponseSchema } from "../../core/rules/api/admin-networks.ts";
import { doneSchema, noBodyOrReasonSchema } from "../../core/rules/api/common.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { formatDecimal } from "../../core/rules/money.ts";
import { OwnSaleError } from "../../core/rules/sale/own-sale-error.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { polledAccounts } from "../../core/sales/accounts.ts";
import { acceptRate, listDoubtfulRates } from "../../core/sales/fx.ts";
import { listRounds } from "../../core/sales/programme-rows.ts";
import { hasOpenSale, listWithoutRate } from "../../core/sales/queries.ts";
import { listFailing } from "../../core/sales/read-progress.ts";
import { notFound } from "../http/api-error.ts";
import { actorOf, type Identity, isAllowed, type Route, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";
import { previewOf } from "./previews.ts";

const UNREAD_ROWS = 200;

/** What networks and feeds sent that waits for a person. docs/product.md#sales-unread */
export function networkRoutes(services: Services): Route[] {
  const { accounts } = services;
  const { reader, kysely } = services.database;
  return [
    route.get("/api/admin/networks", {
      access: "admin",
      cost: { thread: 3, node: 0, stored: 0, mail: 0 },
      times: ({ query }) => (query.currency === undefined ? 1 : 20),
      summary: "What networks and rate feeds sent that waits for a person, and what accepting a rate would change",
      query: networksQuerySchema,
      responses: { 200: networksResponseSchema },
      async handle({ query: { currency, day }, identity }) {
        const [rounds, rows, rates, failed] = await Promise.all([
          listRounds(reader),
          reader.selectFrom("unread_rows").selectAll().orderBy("first_at", "desc").limit(UNREAD_ROWS).execute(),
          listDoubtfulRates(reader),
          listFailing(reader, polledAccounts(accounts)),
        ]);
        const failing = failed.map(({ since, ...one }) => ({ ...one, since: isoTime(since) }));
        const unread_rows = rows.map(({ network, account, sale_key, text, problem, first_at, retry_at }) => ({
          ...{ network, account, sale_key, text, problem },
          first_at: isoTime(first_at),
          retry_at: sale_key === null ? null : isoTime(retry_at),
        }));
        const doubtful_rates = rates.map(({ currency, day, rate_micros, doubted_from }) => ({
          ...{ currency, day },
          rate: formatDecimal(rate_micros, 6, 4),
          previous: formatDecimal(doubted_from ?? 0n, 6, 4),
        }));
        const programmes = rounds.map(({ network, account, began_at, next_at, withheld, problem }) => ({
          ...{ network, account, problem, next_at: isoTime(next_at) },
          read_at: began_at === 0n ? null : isoTime(began_at),
          withheld: withheld === null ? null : Number(withheld),
          is_too_large: problem === ANSWER_TOO_LARGE,
        }));
        const body = { success: true as const, failing, unread_rows, doubtful_rates, programmes };
        if (currency === undefined || day === undefined || !isAllowed(identity, "payments")) return { body };
        return { body: { ...body, preview: await previewRate(services, identity, currency, day) } };
      },
    }),
    /** A rate that jumped is used from now on; the sales that wait for it are decided anew. docs/product.md#sales-rates */
    route.post("/api/admin/fx-rates/:currency/:day/accept", {
      access: "fresh_admin",
      permission: "payments",
      cost: { thread: 3, node: 0, stored: 900, mail: 0 },
      summary: "Accepts an exchange rate that differs too much from the one before it",
      body: noBodyOrReasonSchema,
      failures: { 404: "No rate of that day waits" },
      responses: { 200: doneSchema },
      async handle({ params: { currency, day }, body, identity }) {
        const actor = actorOf(identity);
        await requireNoOwnSale(kysely, visitorOf(identity).wallet, currency);
        await inAuditedTransaction(kysely, actor, async (queries) => {
          const rate = await acceptRate(queries, currency, day, actor);
          if (!rate) throw notFound("Rate");
          await appendAudit(queries, {
            actor,
            action: "fx_rate.accept",
            subject: `fx_rate:${currency}:${day}`,
            detail: { rate_micros: rate.rate_micros, previous_micros: rate.doubted_from },
            note: { words: { reason: body.reason } },
          });
        });
        return { body: { success: true, message: "The rate is used from now on" } };
      },
    }),
  ];
}

async function requireNoOwnSale(queries: Queries, wallet: WalletAddress, currency: string): Promise<void> {
  if (await hasOpenSale(queries, wallet, currency))
    throw new OwnSaleError("Somebody else must decide: a sale of your own wallet waits for this rate");
}

const PREVIEWED = 200;

async function previewRate(services: Services, identity: Identity, currency: string, day: string) {
  return previewOf(services, actorOf(identity), async (queries) => {
    await requireNoOwnSale(queries, visitorOf(identity).wallet, currency);
    if (!(await acceptRate(queries, currency, day, actorOf(identity)))) return;
    const waiting: bigint[] = [];
    for (const account of services.accounts)
      for (const sale of await listWithoutRate(queries, account, PREVIEWED))
        if (sale.currency === currency) waiting.push(sale.id);
    await decideSales(queries, waiting, services.saleRules);
  });
}
