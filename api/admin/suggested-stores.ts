import { insertCategory } from "../../core/catalogue/categories.ts";
import { commissionOf } from "../../core/catalogue/followed-percents.ts";
import { createStore } from "../../core/catalogue/store-moves.ts";
import { findStoreByName } from "../../core/catalogue/store-rows.ts";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { doneSchema, noBodyOrReasonSchema } from "../../core/rules/api/common.ts";
import {
  acceptedSuggestionsSchema,
  type SUGGESTION_REFUSALS,
  type SuggestedStore,
  suggestedStoreSchema,
  suggestedStoresQuerySchema,
  suggestionsRequestSchema,
  withheldRequestSchema,
} from "../../core/rules/api/suggested-stores.ts";
import { type CommissionGroup, followedPercent } from "../../core/rules/commission.ts";
import { percentText } from "../../core/rules/money.ts";
import { polledAccounts } from "../../core/sales/accounts.ts";
import { hastenOffers } from "../../core/sales/offers-round.ts";
import {
  acceptWithheld,
  expediteRound,
  expediteStores,
  groupsIn,
  listSuggested,
  type ProgrammeRow,
  readProgrammes,
  setSuggestion,
} from "../../core/sales/programme-rows.ts";
import { takenOf } from "../../core/sales/taken-fields.ts";
import { enqueue } from "../../core/sender/queue.ts";
import type { CatalogueCache } from "../catalogue/catalogue-cache.ts";
import { CATALOGUE_WRITE, shopShareFor } from "../catalogue/catalogue-writer.ts";
import { conflict } from "../http/api-error.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import { actorOf, type Identity, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { askerOf, requireFreshAsker } from "./proposing.ts";

const PATH = "/api/admin/suggested-stores";
/** Asking more often than this would only spend the account's calls. */
const ASKED_AGAIN_MS = 60_000;
/** Of new stores, once, while others are being made. */
const OFFERS_AFTER_MS = 5 * 60_000;

/** Shops that an account works with and that are no stores yet. docs/product.md#suggested-stores */
export function suggestedStoreRoutes(services: Services, cache: CatalogueCache): Route[] {
  const { database } = services;
  return [
    listRoute(PATH, {
      summary: "Shops that the accounts work with, as their networks tell of them, newest first",
      row: suggestedStoreSchema,
      query: suggestedStoresQuerySchema,
      list: (query) => pageOf(listSuggested(database.reader, query), (row) => toWireSuggestion(services, row)),
    }),
    route.post(`${PATH}/accept`, {
      ...CATALOGUE_WRITE,
      cost: { thread: 20, node: 0, stored: 5000, mail: 0 },
      times: ({ body }) => suggestionsRequestSchema.safeParse(body).data?.ids.length ?? 1,
      summary: "Makes stores of suggestions, whose percents follow the commissions",
      body: suggestionsRequestSchema,
      responses: { 200: acceptedSuggestionsSchema },
      async handle({ body: { ids }, identity }) {
        await services.storeIds.skipRegistered();
        const answer: { stores: { id: number; store_id: number }[]; refused: { id: number; code: string }[] } = {
          stores: [],
          refused: [],
        };
        // Each by itself: one that is refused costs no other one.
        for (const id of new Set(ids)) {
          const outcome = await accept(services, identity, id);
          if (typeof outcome === "string") answer.refused.push({ id: Number(id), code: outcome });
          else answer.stores.push({ id: Number(id), store_id: Number(outcome) });
        }
        cache.drop();
        services.senders.wake();
        return { body: { success: true, ...answer } };
      },
    }),
    route.post(`${PATH}/dismiss`, {
      ...CATALOGUE_WRITE,
      cost: { thread: 4, node: 0, stored: 600, mail: 0 },
      summary: "Takes suggestions out of the list; they can still be accepted",
      body: suggestionsRequestSchema,
      responses: { 200: doneSchema },
      async handle({ body: { ids }, identity }) {
        const actor = actorOf(identity);
        await inAuditedTransaction(database.kysely, actor, async (queries) => {
          const open = (await readProgrammes(queries, ids)).filter(({ store_id }) => store_id === null);
          await setSuggestion(
            queries,
            open.map(({ id }) => id),
            { suggestion: "dismissed" },
          );
          const detail = { count: open.length };
          await appendAudit(queries, { actor, action: "suggestion.dismiss", subject: "suggestions", detail });
        });
        return { body: { success: true, message: "Dismissed" } };
      },
    }),
    route.post(`${PATH}/read`, {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 300, mail: 0 },
      summary: "Has the networks' programmes and offers read now, within the calls of each account",
      body: noBodyOrReasonSchema,
      responses: { 200: doneSchema },
      async handle() {
        for (const account of polledAccounts(services.accounts)) {
          await expediteRound(database.kysely, account, ASKED_AGAIN_MS);
          await expediteStores(database.kysely, account, ASKED_AGAIN_MS);
          await hastenOffers(database.kysely, account, ASKED_AGAIN_MS);
        }
        return { body: { success: true, message: "The networks are asked as soon as their calls allow" } };
      },
    }),
    route.post(`${PATH}/withheld`, {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 600, mail: 0 },
      summary: "Lets a network's next round change as many stores at once as it says",
      body: withheldRequestSchema,
      failures: { 409: "Nothing is withheld" },
      responses: { 200: doneSchema },
      async handle({ body, identity }) {
        const actor = actorOf(identity);
        await inAuditedTransaction(database.kysely, actor, async (queries) => {
          if (!(await acceptWithheld(queries, body))) throw conflict("Nothing of this account is withheld", "DECIDED");
          const subject = `account:${body.network}/${body.account}`;
          await appendAudit(queries, { actor, action: "account.programmes", subject, detail: {} });
        });
        return { body: { success: true, message: "The next round changes the stores" } };
      },
    }),
  ];
}

function toWireSuggestion(services: Services, row: ProgrammeRow): SuggestedStore {
  const share = shopShareFor(services, row);
  const groups = groupsIn(row);
  const text = (bps: number | null, percentOf = (one: bigint) => one) =>
    bps === null ? null : percentText(percentOf(BigInt(bps)));
  return {
    id: Number(row.id),
    network: row.network,
    account: row.account,
    advertiser_id: row.advertiser_id,
    name: row.name,
    domains: row.domains?.split(",") ?? [],
    country: row.country,
    categories: (groups ?? []).map(({ code, name, bps }) => ({
      group_code: code,
      name,
      commission_percent: text(bps),
      percent: text(bps, (one) => followedPercent(one, share)),
    })),
    is_unread: groups === undefined,
    expected_days: row.expected_days === null ? null : Number(row.expected_days),
    state: row.suggestion,
    store_id: row.store_id === null ? null : Number(row.store_id),
  };
}

/** The new store's id, or why it is none. */
async function accept(
  services: Services,
  identity: Identity,
  id: bigint,
): Promise<bigint | (typeof SUGGESTION_REFUSALS)[number]> {
  const actor = actorOf(identity);
  return inAuditedTransaction(services.database.kysely, actor, async (queries) => {
    const [row] = await readProgrammes(queries, [id]);
    const groups = row && groupsIn(row);
    if (!row) return "NOT_FOUND";
    if (row.store_id !== null || row.suggestion === "gone") return "DECIDED";
    if (groups === undefined) return "RATES_UNREAD";
    if (await findStoreByName(queries, row.name)) return "STORE_NAME_TAKEN";
    const fields = {
      ...{ name: row.name, country: row.country ?? HOME_COUNTRY, category: row.category },
      ...{ network: row.network, account: row.account, advertiser_id: row.advertiser_id, link_code: row.link_code },
      ...{ store_url: row.store_url, domains: row.domains },
    };
    const created = await createStore(queries, fields, { actor, asker: askerOf(services, identity, "store_link") });
    requireFreshAsker(identity, created.proposals);
    await addCategories(queries, created.id, groups, shopShareFor(services, row));
    await hastenOffers(queries, row, OFFERS_AFTER_MS);
    await enqueue(queries, [{ kind: "register_store", subjectId: created.id }]);
    await setSuggestion(queries, [id], { suggestion: "accepted", store_id: created.id, taken: takenOf(row) });
    const detail = { name: row.name, network: row.network, account: row.account };
    await appendAudit(queries, { actor, action: "suggestion.accept", subject: `store:${created.id}`, detail });
    return created.id;
  });
}

const HOME_COUNTRY = "Brasil";
const NAME_LETTERS = 60;

/** A category's name, which no other one of the store has: where the group's is taken, with its code, or else a number. */
function freeName(taken: ReadonlySet<string>, { name, code }: CommissionGroup): string {
  const letters = [...name];
  const withEnd = (end: string) =>
    `${letters
      .slice(0, NAME_LETTERS - [...end].length)
      .join("")
      .trimEnd()}${end}`;
  const ends = ["", ...([...code].length < NAME_LETTERS / 2 ? [` (${code})`] : [])];
  for (let number = 2; ; number++) {
    const free = ends.map(withEnd).find((one) => !taken.has(one.toLowerCase()));
    if (free !== undefined) return free;
    ends.splice(0, ends.length, ` (${number})`);
  }
}

/** One for each group; a fixed sum a sale promises nothing until a person sets a percent. docs/product.md#followed-percent */
async function addCategories(
  queries: Queries,
  storeId: bigint,
  groups: readonly CommissionGroup[],
  share: bigint,
): Promise<void> {
  const names = new Set<string>();
  for (const group of groups) {
    const { bps: commissionBps } = commissionOf({ groupCode: group.code }, groups);
    const cashbackBps = commissionBps === null ? 0n : followedPercent(commissionBps, share);
    const category = freeName(names, group);
    names.add(category.toLowerCase());
    const followed = commissionBps === null ? {} : { isByHand: false, agreedBps: cashbackBps };
    await insertCategory(queries, storeId, {
      category,
      cashbackBps,
      groupCode: group.code,
      commissionBps,
      ...followed,
    });
  }
}
