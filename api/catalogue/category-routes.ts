import type { CategoryFields } from "../../core/catalogue/categories.ts";
import { wantedPercent } from "../../core/catalogue/followed-percents.ts";
import { addCategory, changeCategory } from "../../core/catalogue/percent-approvals.ts";
import { type CategoryTranslations, findStore } from "../../core/catalogue/stores.ts";
import {
  CATEGORY_TRANSLATIONS,
  createCashbackRequestSchema,
  updateCashbackRequestSchema,
} from "../../core/rules/api/catalogue.ts";
import { approvalNeededSchema, createdSchema, doneSchema } from "../../core/rules/api/common.ts";
import { percentText } from "../../core/rules/money.ts";
import { recordOf } from "../../core/rules/records.ts";
import { notFound } from "../http/api-error.ts";
import { type Call, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { CATALOGUE_WRITE, type CatalogueWriter, percentRule, shopShareFor } from "./catalogue-writer.ts";

/** A store's cashback categories, written by admins. docs/product.md#store-category */
export function categoryRoutes(services: Services, write: CatalogueWriter): Route[] {
  return [
    route.post("/api/store/:id/cashback", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 1200, mail: 0 },
      summary: "Adds a cashback category to a store",
      failures: { 409: "Another category of the store has this group" },
      body: createCashbackRequestSchema,
      responses: { 200: createdSchema, 202: approvalNeededSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        const { category, cashback_percent: cashbackBps } = call.body;
        const fields = { category, cashbackBps, ...labelFields(call.body) };
        const rule = percentRule(services, call.identity);
        const { id, approvalId } = await write(call, { action: "cashback.create", detail: fields }, async (queries) => {
          const store = await findStore(queries, storeId);
          if (!store) throw notFound("Store");
          const outcome = await addCategory(queries, storeId, fields, rule);
          const words = { store: store.name, ...percentWords(fields), ...waitWords(outcome) };
          const subject = outcome.id === null ? `store:${storeId}` : `store:${storeId}/cashback:${outcome.id}`;
          return { result: outcome, subject, words };
        });
        if (approvalId !== null) return waits(approvalId);
        return { status: 200, body: { success: true, message: "Cashback adicionado com sucesso!", id: Number(id) } };
      },
    }),
    route.put("/api/store/:id/cashback/:cashbackId", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 900, mail: 0 },
      summary: "Changes a cashback category",
      failures: { 409: "Another category of the store has this group" },
      body: updateCashbackRequestSchema,
      responses: { 200: doneSchema, 202: approvalNeededSchema },
      async handle(call) {
        const { category, cashback_percent: cashbackBps } = call.body;
        const approvalId = await change(services, write, call, "cashback.update", {
          ...(category === undefined ? {} : { category }),
          ...(cashbackBps === undefined ? {} : { cashbackBps }),
          ...labelFields(call.body),
        });
        if (approvalId !== null) return waits(approvalId);
        return { status: 200, body: { success: true, message: "Cashback atualizado com sucesso!" } };
      },
    }),
    route.delete("/api/store/:id/cashback/:cashbackId", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 700, mail: 0 },
      summary: "Deletes a cashback category",
      responses: { 200: doneSchema, 202: approvalNeededSchema },
      async handle(call) {
        const approvalId = await change(services, write, call, "cashback.delete", { deleted: true });
        if (approvalId !== null) return waits(approvalId);
        return { status: 200, body: { success: true, message: "Cashback excluído com sucesso!" } };
      },
    }),
  ];
}

/** Returns the request that a raised percent waits for. */
async function change(
  services: Services,
  write: CatalogueWriter,
  call: Pick<Call<unknown, unknown, "id" | "cashbackId">, "identity" | "params">,
  action: string,
  fields: { category?: string; deleted?: true } & Partial<CategoryFields>,
): Promise<bigint | null> {
  const rule = percentRule(services, call.identity);
  const key = { storeId: readId(call.params.id, "Store"), categoryId: readId(call.params.cashbackId, "Cashback") };
  return write(call, { action, detail: fields }, async (queries) => {
    const store = await findStore(queries, key.storeId);
    if (!store) throw notFound("Store");
    const before = store.categories.find(({ id }) => id === key.categoryId);
    if (!before) throw notFound("Cashback");
    const share = { store: store.cashback_share_percent, shop: shopShareFor(services, store) };
    const wanted = "deleted" in fields ? fields : wantedPercent(fields, before, share);
    const outcome = await changeCategory(queries, key, wanted, rule);
    if (!outcome) throw notFound("Cashback");
    const was = { category: before.category, cashback_percent: percentText(before.plainBps) };
    const changed = { ...wanted, ...percentWords(wanted), ...waitWords(outcome) };
    const words = { store: store.name, category: before.category, ...changed, was };
    return { result: outcome.approvalId, subject: `store:${key.storeId}/cashback:${key.categoryId}`, words };
  });
}

/** The percent as displayed, for the log. */
function percentWords({ cashbackBps }: { cashbackBps?: bigint }) {
  return cashbackBps === undefined ? {} : { cashback_percent: percentText(cashbackBps) };
}

/** For the log: a percent that waits is not in force. */
function waitWords({ approvalId }: { approvalId: bigint | null }) {
  return approvalId === null ? {} : { approval_id: String(approvalId) };
}

function waits(approvalId: bigint) {
  const message = "This percent waits for a second person";
  return { status: 202, body: { success: true, message, approval_id: Number(approvalId) } } as const;
}

type Labels = Partial<CategoryTranslations> & {
  group_code?: string | null;
  is_default?: boolean;
  is_by_hand?: boolean;
  cashback_share_percent?: number | null;
};

function labelFields({
  group_code,
  is_default,
  is_by_hand,
  cashback_share_percent: share,
  ...names
}: Labels): Omit<CategoryFields, "cashbackBps"> {
  const given = CATEGORY_TRANSLATIONS.filter((name) => names[name] !== undefined);
  return {
    ...recordOf(given, (name) => names[name]),
    ...(group_code === undefined ? {} : { groupCode: group_code }),
    ...(is_by_hand === undefined ? {} : { isByHand: is_by_hand }),
    ...(share === undefined ? {} : { sharePercent: share === null ? null : BigInt(share) }),
    ...(is_default === undefined ? {} : { isDefault: is_default }),
  };
}
