import { decideBoost, insertBoost, listBoosts, type NamedBoost, named } from "../../core/catalogue/boosts.ts";
import { askForBoost, lapse } from "../../core/catalogue/percent-approvals.ts";
import { findStore, type StoreWithCategories, toBoost } from "../../core/catalogue/stores.ts";
import type { Queries } from "../../core/database/transaction.ts";
import {
  type BoostRow,
  boostsResponseSchema,
  boostWaitsResponseSchema,
  createBoostRequestSchema,
  createBoostResponseSchema,
  spanProblem,
} from "../../core/rules/api/boosts.ts";
import { doneSchema, noBodyOrReasonSchema, pageQuerySchema } from "../../core/rules/api/common.ts";
import { type Boost, boostStateOf } from "../../core/rules/boost.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { percentText } from "../../core/rules/money.ts";
import { CATALOGUE_WRITE, type CatalogueWriter, percentRule } from "../catalogue/catalogue-writer.ts";
import { conflict, invalid, notFound } from "../http/api-error.ts";
import { nextBefore, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";

/** How far in the past a boost may be said to start, by clocks that differ. */
const LATE_MS = 300_000n;

/** Higher percents for a time, planned by admins. docs/product.md#boost */
export function boostRoutes(services: Services, write: CatalogueWriter): Route[] {
  const { reader } = services.database;
  return [
    route.get("/api/admin/stores/:id/boosts", {
      access: "admin",
      permission: "read",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "A store's boosts, past ones too, newest first",
      query: pageQuerySchema,
      responses: { 200: boostsResponseSchema },
      async handle({ params, query }) {
        const rows = await listBoosts(reader, readId(params.id, "Store"), query);
        const next_before = nextBefore(rows, query.limit, (row) => row.id);
        return { body: { success: true, boosts: rows.map(toWireBoost), next_before } };
      },
    }),
    route.post("/api/admin/stores/:id/boosts", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 1200, mail: 0 },
      summary: "Plans a higher percent for a store or one of its categories, for a time",
      body: createBoostRequestSchema,
      failures: { 409: "It would raise nothing" },
      responses: { 200: createBoostResponseSchema, 202: boostWaitsResponseSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        const now = BigInt(Date.now());
        const { percent: bps, category_id, starts_at, ends_at: endsAt } = call.body;
        const boost = { categoryId: category_id ?? null, bps, startsAt: starts_at ?? now, endsAt };
        requireSpan(boost, now);
        const rule = percentRule(services, call.identity);
        const { row, approvalId } = await write(call, { action: "boost.plan", detail: {} }, async (queries) => {
          const store = await findStore(queries, storeId);
          if (!store) throw notFound("Store");
          const category = requireCategory(store, boost);
          const isWaiting = bps > rule.aboveBps;
          const boostId = await insertBoost(queries, { ...boost, storeId, plannedBy: rule.actor, isWaiting });
          const asked = { storeId, boostId, categoryId: boost.categoryId, category, bps };
          const approvalId = isWaiting ? await askForBoost(queries, asked, rule) : null;
          return {
            result: { row: await requireBoost(queries, boostId), approvalId },
            subject: `store:${storeId}/boost:${boostId}`,
            words: {
              ...wordsOf(store.name, category, boost),
              ...(approvalId === null ? {} : { approval_id: String(approvalId) }),
            },
          };
        });
        const planned = { success: true, id: Number(row.id), boost: toWireBoost(row) } as const;
        if (approvalId === null) return { status: 200, body: { ...planned, message: "Boost planned" } };
        const message = "Boost planned: it waits for a second person";
        return { status: 202, body: { ...planned, message, approval_id: Number(approvalId) } };
      },
    }),
    decisionRoute(write, { verb: "end", decision: "ended", summary: "Ends a boost that runs; earlier clicks keep it" }),
    decisionRoute(write, { verb: "withdraw", decision: "withdrawn", summary: "Withdraws a boost that has not begun" }),
  ];
}

type End = { verb: "end" | "withdraw"; decision: "ended" | "withdrawn"; summary: string };

function decisionRoute(write: CatalogueWriter, { verb, decision, summary }: End): Route {
  return route.post(`/api/admin/boosts/:id/${verb}` as const, {
    ...CATALOGUE_WRITE,
    cost: { thread: 3, node: 0, stored: 900, mail: 0 },
    summary,
    body: noBodyOrReasonSchema,
    failures: { 409: "It is over, withdrawn or refused, or has begun or not" },
    responses: { 200: doneSchema },
    async handle(call) {
      const id = readId(call.params.id, "Boost");
      const typed = { reason: call.body.reason };
      await write(call, { action: `boost.${verb}`, detail: {}, typed }, async (queries) => {
        const boost = await requireBoost(queries, id);
        const store = await findStore(queries, boost.store_id);
        if (!(await decideBoost(queries, id, decision)))
          throw conflict(`This boost cannot be ${decision}: reload it`, "BOOST_STATE");
        await lapse(queries, "boost_id", id);
        const words = wordsOf(store?.name ?? "", boost.category, toBoost(boost));
        return { result: undefined, subject: `store:${boost.store_id}/boost:${id}`, words };
      });
      return { body: { success: true, message: `Boost ${decision}` } };
    },
  });
}

async function requireBoost(queries: Queries, id: bigint): Promise<NamedBoost> {
  const boost = await named(queries).where("store_boosts.id", "=", id).executeTakeFirst();
  if (!boost) throw notFound("Boost");
  return boost;
}

function requireSpan({ startsAt, endsAt }: Boost, now: bigint): void {
  if (startsAt < now - LATE_MS) throw invalid("starts_at must not be in the past", "starts_at");
  const problem = spanProblem({ startsAt, endsAt }, now);
  if (problem) throw invalid(problem.message, problem.field);
}

/** The name of the boost's category; null for the whole store. @throws ApiError 404 or 409 */
function requireCategory({ categories }: StoreWithCategories, { categoryId, bps }: Boost): string | null {
  const concerned = categories.filter(({ id }) => categoryId === null || id === categoryId);
  if (concerned.length === 0) throw notFound("Cashback");
  if (concerned.every(({ plainBps }) => plainBps >= bps))
    throw conflict("The store pays this percent already: a boost must be higher", "BOOST_TOO_LOW", {
      field: "percent",
    });
  return categoryId === null ? null : (concerned[0]?.category ?? null);
}

function wordsOf(store: string, category: string | null, { bps, startsAt, endsAt }: Boost) {
  return {
    store,
    ...(category === null ? {} : { category }),
    cashback_percent: percentText(bps),
    starts_at: isoTime(startsAt),
    ends_at: isoTime(endsAt),
  };
}

function toWireBoost(row: NamedBoost): BoostRow {
  return {
    id: Number(row.id),
    store_id: Number(row.store_id),
    category_id: row.category_id === null ? null : Number(row.category_id),
    category: row.category,
    percent: percentText(row.boost_bps),
    state: boostStateOf(row.decision, toBoost(row), BigInt(Date.now())),
    starts_at: isoTime(row.starts_at),
    ends_at: isoTime(row.ends_at),
    planned_end_at: isoTime(row.planned_end_at),
    planned_by: row.planned_by,
    created_at: isoTime(row.created_at),
  };
}
