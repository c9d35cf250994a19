import { type CategoryFields, insertCategory, updateCategory } from "../../catalogue/categories.ts";
import { findStore } from "../../catalogue/stores.ts";
import { createCashbackRequestSchema, updateCashbackRequestSchema } from "../../domain/api/catalogue.ts";
import { createdSchema, doneSchema } from "../../domain/api/common.ts";
import { percentText } from "../../domain/money.ts";
import { notFound } from "../http/api-error.ts";
import { readId } from "../http/read-id.ts";
import { type Call, type Route, route } from "../http/route.ts";
import { type CatalogueWriter, WRITE_LIMIT } from "./catalogue-writer.ts";

/** A store's cashback categories, written by admins. docs/product.md#store-category */
export function categoryRoutes(write: CatalogueWriter): Route[] {
  return [addCategoryRoute(write), updateCategoryRoute(write), removeCategoryRoute(write)];
}

function addCategoryRoute(write: CatalogueWriter): Route {
  return route({
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
      const { category, cashback_percent: cashbackBps } = call.body;
      const fields = { category, cashbackBps, ...labelFields(call.body) };
      const id = await write(call, { action: "cashback.create", detail: fields }, async (queries) => {
        const store = await findStore(queries, storeId);
        if (!store) throw notFound("Store");
        const categoryId = await insertCategory(queries, storeId, fields);
        const words = { store: store.name, ...percentWords(fields) };
        return { result: categoryId, subject: `store:${storeId}/cashback:${categoryId}`, words };
      });
      return { body: { success: true, message: "Cashback adicionado com sucesso!", id: Number(id) } };
    },
  });
}

function updateCategoryRoute(write: CatalogueWriter): Route {
  return route({
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
      const { category, cashback_percent: cashbackBps } = call.body;
      await changeCategory(write, call, "cashback.update", {
        ...(category === undefined ? {} : { category }),
        ...(cashbackBps === undefined ? {} : { cashbackBps }),
        ...labelFields(call.body),
      });
      return { body: { success: true, message: "Cashback atualizado com sucesso!" } };
    },
  });
}

function removeCategoryRoute(write: CatalogueWriter): Route {
  return route({
    method: "delete",
    path: "/api/store/:id/cashback/:cashbackId",
    access: "admin",
    permission: "catalogue",
    summary: "Deletes a cashback category",
    limit: WRITE_LIMIT,
    responses: { 200: doneSchema },
    async handle(call) {
      await changeCategory(write, call, "cashback.delete", { deleted: true });
      return { body: { success: true, message: "Cashback excluído com sucesso!" } };
    },
  });
}

async function changeCategory(
  write: CatalogueWriter,
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

/** The percent as displayed, for the log. */
function percentWords({ cashbackBps }: { cashbackBps?: bigint }) {
  return cashbackBps === undefined ? {} : { cashback_percent: percentText(cashbackBps) };
}

type Labels = { category_en?: string | null; group_code?: string | null; is_default?: boolean };

function labelFields({ category_en, group_code, is_default }: Labels): Omit<CategoryFields, "cashbackBps"> {
  return {
    ...(category_en === undefined ? {} : { categoryEn: category_en }),
    ...(group_code === undefined ? {} : { groupCode: group_code }),
    ...(is_default === undefined ? {} : { isDefault: is_default }),
  };
}
