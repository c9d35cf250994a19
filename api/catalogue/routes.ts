import { z } from "zod";
import { followShare } from "../../core/catalogue/followed-percents.ts";
import { requireAgreedLink } from "../../core/catalogue/percent-approvals.ts";
import {
  type ChangedStore,
  changeStore,
  createStore,
  removeStore,
  type StoreChanger,
} from "../../core/catalogue/store-moves.ts";
import { findStoreByName } from "../../core/catalogue/store-rows.ts";
import { findStore, type StoreFields } from "../../core/catalogue/stores.ts";
import { CursorError } from "../../core/database/lists/page.ts";
import type { Queries } from "../../core/database/transaction.ts";
import {
  createStoreRequestSchema,
  fanTokensResponseSchema,
  storeDomainsResponseSchema,
  storePaceResponseSchema,
  storeResponseSchema,
  storesQuerySchema,
  storesResponseSchema,
  updateStoreRequestSchema,
} from "../../core/rules/api/catalogue.ts";
import { createdSchema, doneSchema } from "../../core/rules/api/common.ts";
import { offersQuerySchema, offersResponseSchema } from "../../core/rules/api/offers.ts";
import { proposedSchema } from "../../core/rules/api/proposals.ts";
import type { PromiseReader } from "../../core/rules/promise.ts";
import { enqueue } from "../../core/sender/queue.ts";
import { boostRoutes } from "../admin/boosts.ts";
import { offerRoutes } from "../admin/offers.ts";
import { percentApprovalRoutes } from "../admin/percent-approvals.ts";
import { proposalRoutes } from "../admin/proposals.ts";
import { askerOf, proposed, requireFreshAsker } from "../admin/proposing.ts";
import { shownBalances } from "../chain/balances.ts";
import { conflict, invalid, notFound } from "../http/api-error.ts";
import { Prepared } from "../http/prepared.ts";
import { actorOf, type Identity, type Route, readId, route } from "../http/route.ts";
import type { Visitor } from "../people/sessions.ts";
import type { Services } from "../services.ts";
import { cached, IF_NONE_MATCH, PUBLIC_HEADERS } from "./cached.ts";
import type { Catalogue, CatalogueCache } from "./catalogue-cache.ts";
import { CATALOGUE_WRITE, catalogueWriter, percentRule, shopShareFor } from "./catalogue-writer.ts";
import { categoryRoutes } from "./category-routes.ts";
import { clubRoutes } from "./club-routes.ts";
import { fanTokenRoutes } from "./fan-token-routes.ts";
import { readStoresCursor } from "./stores-cursor.ts";
import { toWirePromise } from "./wire.ts";

const OWN_HEADERS = { "cache-control": "private, no-cache", vary: "Authorization, Origin" };

/** How long an offer may be read from a cache, which never keeps it beyond its end. docs/product.md#offers */
const OFFERS_SECONDS = 30;

/** Of the pages after the first one, which everybody gets from memory. docs/product.md#limit-lists */
const STRANGERS_ROWS = 60;

/** What a cursor that somebody made up costs: its page comes from the database, and not from memory. */
const PLAIN_CURSOR_TIMES = 10;

function hasPlainCursor(cursors: Services["cursors"], query: Record<string, unknown>): boolean {
  if (query.after === undefined) return false;
  const asked = storesQuerySchema.safeParse(query);
  return asked.success && readStoresCursor(cursors, asked.data)?.isPlain === true;
}

/** Stores, with their cashback categories, and fan tokens: read by anyone, written by admins. */
export function catalogueRoutes(services: Services, cache: CatalogueCache): Route[] {
  const { paces } = services;
  const write = catalogueWriter(services, cache);
  return [
    route.get("/api/stores", {
      access: "anyone",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      times: ({ query }) => (hasPlainCursor(services.cursors, query) ? PLAIN_CURSOR_TIMES : 1),
      summary: "The stores on offer, searched, filtered, sorted and paged",
      headers: IF_NONE_MATCH,
      query: storesQuerySchema,
      responses: { 200: storesResponseSchema },
      async handle({ query, identity }) {
        const withDrafts = query.ids !== undefined && isAdmin(identity);
        const after = readStoresCursor(services.cursors, query)?.cursor;
        const isStranger = after !== undefined && identity.kind === "anonymous";
        const asked = { ...query, limit: isStranger ? Math.min(query.limit, STRANGERS_ROWS) : query.limit };
        const page = await cache.stores(asked, { after, withDrafts }).catch(refuseCursor);
        return withDrafts ? { ...cached(page), headers: OWN_HEADERS } : cached(page);
      },
    }),
    route.get("/api/offers", {
      access: "anyone",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "The codes and promotions that run, those that end first before the others",
      headers: IF_NONE_MATCH,
      query: offersQuerySchema,
      responses: { 200: offersResponseSchema },
      async handle({ query }) {
        const { page, until } = await cache.offers(query).catch(refuseCursor);
        const seconds = Math.min(OFFERS_SECONDS, Math.floor((until - Date.now()) / 1_000));
        const caching = seconds > 0 ? `public, max-age=${seconds}` : PUBLIC_HEADERS["cache-control"];
        return { ...cached(page), headers: { ...PUBLIC_HEADERS, "cache-control": caching } };
      },
    }),
    route.get("/api/stores/domains", {
      access: "anyone",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "The domains of the stores on offer, for programs that tell a shop by its page",
      headers: IF_NONE_MATCH,
      responses: { 200: storeDomainsResponseSchema },
      async handle() {
        // Whoever asks for it says nothing of the page that they are on.
        const headers = { "cache-control": "public, max-age=3600", "access-control-allow-origin": "*" };
        return { ...cached(await cache.storeDomains()), headers };
      },
    }),
    route.get("/api/fan-tokens", {
      access: "anyone",
      cost: { thread: 0.3, node: 0, stored: 0, mail: 0 },
      summary: "All fan tokens",
      headers: IF_NONE_MATCH,
      responses: { 200: fanTokensResponseSchema },
      handle: async () => cached((await cache.read()).fanTokens),
    }),
    route.get("/api/stores/:id", {
      access: "anyone",
      cost: { thread: 0.5, node: 5, stored: 0, mail: 0 },
      summary: "One store with its cashback categories, and what the caller can earn there",
      headers: IF_NONE_MATCH,
      responses: { 200: storeResponseSchema },
      async handle({ params, identity, origin, giveBack }) {
        const store = await cache.store(readId(params.id, "Store"), { withDrafts: isAdmin(identity) });
        if (!store || identity.kind !== "user") giveBack(["node"]);
        if (!store) throw notFound("Store");
        if (identity.kind !== "user") return cached(store);
        const reader = await promisedTo(services, identity.visitor, origin, await cache.read());
        return { ...cached(withPromise(store, reader)), headers: OWN_HEADERS };
      },
    }),
    route.get("/api/stores/:id/pace", {
      access: "anyone",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "How many days a store usually takes to report, confirm and pay",
      responses: { 200: storePaceResponseSchema },
      async handle({ params }) {
        const id = readId(params.id, "Store");
        if (!(await cache.store(id, { withDrafts: false }))) throw notFound("Store");
        return { body: { success: true, pace: await paces.of(id) }, headers: PUBLIC_HEADERS };
      },
    }),
    route.post("/api/store", {
      ...CATALOGUE_WRITE,
      cost: { thread: 4, node: 0, stored: 2500, mail: 0 },
      summary: "Creates a store",
      body: createStoreRequestSchema,
      failures: { 409: "Another store has this name" },
      responses: { 200: createdSchema, 202: proposedSchema.extend({ id: z.number() }) },
      async handle(call) {
        await services.storeIds.skipRegistered();
        const created = await write(call, { action: "store.create", detail: {} }, async (queries) => {
          await requireNewName(queries, call.body.name);
          const result = await createStore(queries, call.body, changerOf(services, call.identity));
          await enqueue(queries, [{ kind: "register_store", subjectId: result.id }]);
          requireFreshAsker(call.identity, result.proposals);
          return { result, subject: `store:${result.id}`, words: { ...result.atOnce, ...proposalWords(result) } };
        });
        const id = Number(created.id);
        const [proposal_id] = created.proposals;
        if (proposal_id === undefined)
          return { status: 200, body: { success: true, message: "Loja criada com sucesso!", id } };
        return { status: 202, body: { ...proposed(proposal_id, created.takesEffectAt), id } };
      },
    }),
    route.put("/api/store/:id", {
      ...CATALOGUE_WRITE,
      cost: { thread: 4, node: 0, stored: 1500, mail: 0 },
      summary: "Updates the given fields of a store",
      body: updateStoreRequestSchema,
      failures: { 409: "Another store has this name, or a second person must agree to its percents first" },
      responses: { 200: doneSchema, 202: proposedSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        const changed = await write(call, { action: "store.update", detail: {} }, async (queries) => {
          await requireAgreedLink(queries, storeId, call.body, percentRule(services, call.identity).aboveBps);
          const before = await findStore(queries, storeId);
          if (!before) throw notFound("Store");
          const { name } = call.body;
          if (name !== undefined && name !== before.name) await requireNewName(queries, name, storeId);
          const result = await changeStore(queries, before, call.body, changerOf(services, call.identity));
          if (!result) throw notFound("Store");
          const { cashback_share_percent: share } = call.body;
          if (share !== undefined) {
            const shares = { store: share === null ? null : BigInt(share), shop: shopShareFor(services, before) };
            await followShare(queries, storeId, shares, percentRule(services, call.identity));
          }
          requireFreshAsker(call.identity, result.proposals);
          const words = { ...changes(before, result.atOnce), ...proposalWords(result), store: before.name };
          return { result, subject: `store:${storeId}`, words };
        });
        const [proposal_id] = changed.proposals;
        if (proposal_id !== undefined) return { status: 202, body: proposed(proposal_id, changed.takesEffectAt) };
        return { status: 200, body: { success: true, message: "Loja atualizada com sucesso!" } };
      },
    }),
    route.delete("/api/store/:id", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 900, mail: 0 },
      summary: "Deletes a store",
      responses: { 200: doneSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        await write(call, { action: "store.delete", detail: {} }, async (queries) => {
          const store = await findStore(queries, storeId);
          if (!store || !(await removeStore(queries, store, actorOf(call.identity)))) throw notFound("Store");
          return { result: undefined, subject: `store:${storeId}`, words: { store: store.name } };
        });
        return { body: { success: true, message: "Loja excluída com sucesso!" } };
      },
    }),
    ...categoryRoutes(services, write),
    ...boostRoutes(services, write),
    ...offerRoutes(services, write),
    ...percentApprovalRoutes(services, cache),
    ...proposalRoutes(services, cache),
    ...fanTokenRoutes(services, write),
    ...clubRoutes(cache, write),
  ];
}

function refuseCursor(error: unknown): never {
  throw error instanceof CursorError
    ? invalid("after is not the next_after of this list in this order", "after")
    : error;
}

/** Who changes a store, and who else may agree to what moves its buyers. docs/product.md#proposals */
function changerOf(services: Services, identity: Identity): StoreChanger {
  return { actor: actorOf(identity), asker: askerOf(services, identity, "store_link") };
}

const proposalWords = ({ proposals }: ChangedStore) =>
  proposals.length === 0 ? {} : { proposals: proposals.map(String) };

/** Buyers and the catalogue file could not distinguish two stores with the same name. */
async function requireNewName(queries: Queries, name: string, except?: bigint): Promise<void> {
  const other = await findStoreByName(queries, name, except);
  if (!other) return;
  throw conflict(`Store ${other.id} already has the name ${other.name}`, "STORE_NAME_TAKEN", { field: "name" });
}

/** The fields that a request changes, and what they were; forms also send unchanged fields. */
function changes(before: object, fields: Partial<StoreFields>): object {
  const known: Record<string, unknown> = { ...before };
  const changed = Object.entries(fields).filter(([name, value]) => comparable(value) !== comparable(known[name]));
  const was = Object.fromEntries(changed.map(([name]) => [name, known[name]]));
  return { ...Object.fromEntries(changed), was };
}

/** Flags are 0 and 1 in the database, counts are bigints. */
function comparable(value: unknown): string {
  return String((typeof value === "boolean" ? Number(value) : value) ?? "");
}

/** A user with their tokens' balances, by one node's word: a bonus is given by what every node says at the click. */
async function promisedTo(
  services: Services,
  { wallet, indexed, revision }: Visitor,
  asker: string,
  { fanTokenRows }: Pick<Catalogue, "fanTokenRows">,
): Promise<PromiseReader> {
  const balances = await shownBalances(
    services,
    wallet,
    { version: `${indexed?.hash}:${revision}`, asker },
    fanTokenRows,
  );
  const tokens = fanTokenRows.map(({ slug, name, contract }) => ({
    slug,
    name,
    balance: (contract && balances?.tokens?.get(contract)) || { units: 0n, decimals: 0 },
  }));
  return { tokens, program: services.environment.BONUS_PROGRAM };
}

/** The answer that everybody gets, with its reader's own promise. */
function withPromise(answer: Prepared, reader: PromiseReader): Prepared {
  const { promise: _, ...same }: z.output<typeof storeResponseSchema> = JSON.parse(answer.bytes.toString("utf8"));
  return new Prepared(Buffer.from(JSON.stringify({ ...same, promise: toWirePromise(same.store, reader) })));
}

function isAdmin(identity: Identity): boolean {
  return identity.kind === "user" && identity.role !== undefined;
}
