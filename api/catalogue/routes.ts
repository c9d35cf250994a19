import type { z } from "zod";
import {
  findFanTokenByContract,
  findFanTokenName,
  insertFanToken,
  updateFanToken,
} from "../../catalogue/fan-tokens.ts";
import {
  type CategoryFields,
  deleteStore,
  findStore,
  findStoreByName,
  insertCategory,
  insertStore,
  isOnOffer,
  type StoreFields,
  type StoreWithCategories,
  updateCategory,
  updateStore,
} from "../../catalogue/stores.ts";
import { isUniqueViolation, type Queries } from "../../database/transaction.ts";
import {
  createCashbackRequestSchema,
  createStoreRequestSchema,
  fanTokensResponseSchema,
  saveFanTokenRequestSchema,
  storeResponseSchema,
  storesResponseSchema,
  updateCashbackRequestSchema,
  updateStoreRequestSchema,
} from "../../domain/api/catalogue.ts";
import { createdSchema, doneSchema } from "../../domain/api/common.ts";
import { percentText } from "../../domain/money.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { enqueue, enqueueAgain } from "../../sender/queue.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { readId } from "../http/read-id.ts";
import { type Call, type Identity, type Route, route, type TextReply } from "../http/route.ts";
import type { Services } from "../services.ts";
import { type CachedText, type CatalogueCache, storeAnswer } from "./catalogue-cache.ts";
import { catalogueWriter } from "./catalogue-writer.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const PUBLIC_HEADERS = { "cache-control": "public, no-cache", vary: "Authorization, Origin" };
const ADMIN_HEADERS = { "cache-control": "private, no-cache", vary: "Authorization, Origin" };
const IF_NONE_MATCH = { "if-none-match": { description: "The `ETag` of the caller's cached response" } };
const WRITE_LIMIT = { perMinute: 240, by: "wallet" } as const;

/** Stores, their cashback categories and fan tokens: read by anyone, written by admins. */
export function catalogueRoutes(services: Services, cache: CatalogueCache): Route[] {
  const { database } = services;

  const write = catalogueWriter(services, cache);

  return [
    route({
      method: "get",
      path: "/api/stores",
      access: "anyone",
      summary: "All stores on offer; for admins also drafts",
      headers: IF_NONE_MATCH,
      responses: { 200: storesResponseSchema },
      async handle({ identity }) {
        const { stores, allStores } = await cache.read();
        return isAdmin(identity) ? { ...cached(allStores), headers: ADMIN_HEADERS } : cached(stores);
      },
    }),
    route({
      method: "get",
      path: "/api/fan-tokens",
      access: "anyone",
      summary: "All fan tokens",
      headers: IF_NONE_MATCH,
      responses: { 200: fanTokensResponseSchema },
      handle: async () => cached((await cache.read()).fanTokens),
    }),
    route({
      method: "get",
      path: "/api/stores/:id",
      access: "anyone",
      summary: "One store with its cashback categories",
      headers: IF_NONE_MATCH,
      responses: { 200: storeResponseSchema },
      async handle({ params, identity }) {
        const storeId = readId(params.id, "Store");
        const headers = isAdmin(identity) ? ADMIN_HEADERS : PUBLIC_HEADERS;
        const known = (await cache.read()).storeById.get(storeId);
        if (known && (known.isOnOffer || isAdmin(identity))) return { ...cached(known.text), headers };
        // The store may be beyond the limit of the list.
        const store = known ? undefined : await findStore(database.kysely, storeId);
        if (!store || !(isOnOffer(store) || isAdmin(identity))) throw notFound("Store");
        return { body: storeAnswer(store), headers };
      },
    }),
    route({
      method: "post",
      path: "/api/store",
      access: "admin",
      permission: "catalogue",
      summary: "Creates a store",
      limit: WRITE_LIMIT,
      body: createStoreRequestSchema,
      failures: { 409: "Another store has this name" },
      responses: { 200: createdSchema },
      async handle(call) {
        await services.storeIds.skipRegistered();
        const id = await write(call, { action: "store.create", detail: call.body }, async (queries) => {
          await requireNewName(queries, call.body.name);
          const storeId = await insertStore(queries, call.body);
          await enqueue(queries, [{ kind: "register_store", subjectId: storeId }]);
          return { result: storeId, subject: `store:${storeId}` };
        });
        return { body: { success: true, message: "Loja criada com sucesso!", id: Number(id) } };
      },
    }),
    route({
      method: "put",
      path: "/api/store/:id",
      access: "admin",
      permission: "catalogue",
      summary: "Updates the given fields of a store",
      limit: WRITE_LIMIT,
      body: updateStoreRequestSchema,
      failures: { 409: "Another store has this name" },
      responses: { 200: doneSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        await write(call, { action: "store.update", detail: {} }, async (queries) => {
          const before = await changeStore(queries, storeId, call.body);
          const words = { ...changedFields(before, call.body), store: before.name };
          return { result: undefined, subject: `store:${storeId}`, words };
        });
        return { body: { success: true, message: "Loja atualizada com sucesso!" } };
      },
    }),
    route({
      method: "delete",
      path: "/api/store/:id",
      access: "admin",
      permission: "catalogue",
      summary: "Deletes a store",
      limit: WRITE_LIMIT,
      responses: { 200: doneSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        await write(call, { action: "store.delete", detail: {} }, async (queries) => {
          const store = await findStore(queries, storeId);
          if (!store || !(await deleteStore(queries, storeId))) throw notFound("Store");
          return { result: undefined, subject: `store:${storeId}`, words: { store: store.name } };
        });
        return { body: { success: true, message: "Loja excluída com sucesso!" } };
      },
    }),
    route({
      method: "post",
      path: "/api/store/:id/cashback",
      access: "admin",
      permission: "catalogue",
      summary: "Adds a cashback category to a store",
      failures: { 409: "Another category of the store has this group" },
      limit: WRITE_LIMIT,
      body: createCashbackRequestSchema,
      responses: { 200: createdSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        const fields = { category: call.body.category, ...categoryFields(call.body) };
        const id = await write(call, { action: "cashback.create", detail: fields }, async (queries) => {
          const store = await findStore(queries, storeId);
          if (!store) throw notFound("Store");
          const categoryId = await insertCategory(queries, storeId, fields);
          const words = { store: store.name, ...percentWords(fields) };
          return { result: categoryId, subject: `store:${storeId}/cashback:${categoryId}`, words };
        });
        return { body: { success: true, message: "Cashback adicionado com sucesso!", id: Number(id) } };
      },
    }),
    route({
      method: "put",
      path: "/api/store/:id/cashback/:cashbackId",
      access: "admin",
      permission: "catalogue",
      summary: "Changes a cashback category",
      failures: { 409: "Another category of the store has this group" },
      limit: WRITE_LIMIT,
      body: updateCashbackRequestSchema,
      responses: { 200: doneSchema },
      async handle(call) {
        await changeCategory(call, "cashback.update", {
          ...(call.body.category === undefined ? {} : { category: call.body.category }),
          ...categoryFields(call.body),
        });
        return { body: { success: true, message: "Cashback atualizado com sucesso!" } };
      },
    }),
    route({
      method: "delete",
      path: "/api/store/:id/cashback/:cashbackId",
      access: "admin",
      permission: "catalogue",
      summary: "Deletes a cashback category",
      limit: WRITE_LIMIT,
      responses: { 200: doneSchema },
      async handle(call) {
        await changeCategory(call, "cashback.delete", { deleted: true });
        return { body: { success: true, message: "Cashback excluído com sucesso!" } };
      },
    }),
    route({
      method: "post",
      path: "/api/admin/fan-token",
      access: "admin",
      permission: "catalogue",
      summary: "Creates a fan token, or updates it if an id is given",
      limit: WRITE_LIMIT,
      body: saveFanTokenRequestSchema,
      failures: { 404: "No fan token has this id", 409: "Another fan token has this slug or contract" },
      responses: { 200: createdSchema },
      async handle(call) {
        const id = await saveFanToken(call);
        return { body: { success: true, message: "Fan token salvo com sucesso!", id: Number(id) } };
      },
    }),
    route({
      method: "delete",
      path: "/api/admin/fan-token/:id",
      access: "admin",
      permission: "catalogue",
      summary: "Deletes a fan token",
      limit: WRITE_LIMIT,
      responses: { 200: doneSchema },
      async handle(call) {
        const id = readId(call.params.id, "Fan token");
        await write(call, { action: "fan_token.delete", detail: {} }, async (queries) => {
          const name = await findFanTokenName(queries, id);
          if (!(await updateFanToken(queries, id, { deleted_at: BigInt(Date.now()) }))) throw notFound("Fan token");
          return { result: undefined, subject: `fan_token:${id}`, words: { name } };
        });
        return { body: { success: true, message: "Fan token excluído com sucesso!" } };
      },
    }),
  ];

  async function changeCategory(
    call: Pick<Call<unknown, unknown, "id" | "cashbackId">, "identity" | "params">,
    action: string,
    fields: { category?: string; cashbackBps?: bigint; deleted?: true },
  ): Promise<void> {
    const key = { storeId: readId(call.params.id, "Store"), categoryId: readId(call.params.cashbackId, "Cashback") };
    await write(call, { action, detail: fields }, async (queries) => {
      const store = await findStore(queries, key.storeId);
      if (!store) throw notFound("Store");
      const before = store.categories.find(({ id }) => id === key.categoryId);
      if (!before || !(await updateCategory(queries, key, fields))) throw notFound("Cashback");
      const was = { category: before.category, cashback_percent: percentText(before.cashbackBps) };
      const words = { store: store.name, category: before.category, ...fields, ...percentWords(fields), was };
      return { result: undefined, subject: `store:${key.storeId}/cashback:${key.categoryId}`, words };
    });
  }

  async function saveFanToken(call: Call<z.output<typeof saveFanTokenRequestSchema>>): Promise<bigint> {
    const { id, contract, symbol, ...fields } = call.body;
    try {
      return await write(
        call,
        { action: id ? "fan_token.update" : "fan_token.create", detail: call.body },
        async (queries) => {
          if (contract) await requireNewContract(queries, contract, id ?? undefined);
          if (id === undefined || id === null) {
            const created = await insertFanToken(queries, {
              ...fields,
              symbol: symbol || fields.slug.toUpperCase(),
              contract: contract ?? null,
            });
            return { result: created, subject: `fan_token:${created}` };
          }
          const changes = {
            ...fields,
            ...(symbol ? { symbol } : {}),
            ...(contract === undefined ? {} : { contract }),
          };
          if (!(await updateFanToken(queries, id, changes))) throw notFound("Fan token");
          return { result: id, subject: `fan_token:${id}` };
        },
      );
    } catch (error) {
      if (isUniqueViolation(error))
        throw conflict(`Another fan token has the slug ${fields.slug}`, "SLUG_TAKEN", { field: "slug" });
      throw error;
    }
  }
}

async function changeStore(
  queries: Queries,
  storeId: bigint,
  fields: Partial<StoreFields>,
): Promise<StoreWithCategories> {
  const store = await findStore(queries, storeId);
  if (!store) throw notFound("Store");
  const isRenamed = fields.name !== undefined && fields.name !== store.name;
  if (isRenamed) await requireNewName(queries, fields.name ?? "", storeId);
  if (!(await updateStore(queries, storeId, fields))) throw notFound("Store");
  // Every ticket shows the name, so it is renamed on chain too.
  if (isRenamed) await enqueueAgain(queries, { kind: "rename_store", subjectId: storeId });
  return store;
}

/** Buyers and the catalogue file could not distinguish two stores with the same name. */
async function requireNewName(queries: Queries, name: string, except?: bigint): Promise<void> {
  const other = await findStoreByName(queries, name);
  if (!other || other.id === except) return;
  throw conflict(`Store ${other.id} already has the name ${other.name}`, "STORE_NAME_TAKEN", { field: "name" });
}

async function requireNewContract(queries: Queries, contract: WalletAddress, except?: bigint): Promise<void> {
  const other = await findFanTokenByContract(queries, contract);
  if (!other || other.id === except) return;
  throw conflict(`The fan token ${other.name} already has this contract`, "CONTRACT_TAKEN", { field: "contract" });
}

/** The fields that a request changes; forms also send unchanged fields. */
function changedFields(before: object, fields: Partial<StoreFields>): Partial<StoreFields> {
  const known = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => comparable(value) !== comparable(known[name])),
  );
}

/** Flags are 0 and 1 in the database, counts are bigints. */
function comparable(value: unknown): string {
  return String((typeof value === "boolean" ? Number(value) : value) ?? "");
}

/** The percent as displayed, for the log. */
function percentWords({ cashbackBps }: { cashbackBps?: bigint }) {
  return cashbackBps === undefined ? {} : { cashback_percent: percentText(cashbackBps) };
}

function isAdmin(identity: Identity): boolean {
  return identity.kind === "user" && identity.role !== undefined;
}

function cached({ text, etag }: CachedText): TextReply {
  return { text, type: JSON_TYPE, etag, headers: PUBLIC_HEADERS };
}

type GivenRate = {
  cashback_percent?: bigint;
  category_en?: string | null;
  group_code?: string | null;
  is_default?: boolean;
};

function categoryFields<Given extends GivenRate>(body: Given) {
  return {
    ...(body.cashback_percent === undefined ? {} : { cashbackBps: body.cashback_percent }),
    ...(body.category_en === undefined ? {} : { categoryEn: body.category_en }),
    ...(body.group_code === undefined ? {} : { groupCode: body.group_code }),
    ...(body.is_default === undefined ? {} : { isDefault: body.is_default }),
  } as { cashbackBps: NonNullable<Given["cashback_percent"]> } & Omit<CategoryFields, "cashbackBps">;
}
