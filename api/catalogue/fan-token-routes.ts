import { z } from "zod";
import { findFanTokenByContract, removeToken, saveToken } from "../../core/catalogue/fan-tokens.ts";
import { isUniqueViolation, type Queries } from "../../core/database/transaction.ts";
import { saveFanTokenRequestSchema } from "../../core/rules/api/catalogue.ts";
import { createdSchema, doneSchema } from "../../core/rules/api/common.ts";
import { proposedSchema } from "../../core/rules/api/proposals.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { askerOf, proposed, requireFreshAsker } from "../admin/proposing.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { actorOf, type Call, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { CATALOGUE_WRITE, type CatalogueWriter } from "./catalogue-writer.ts";

/** Fan tokens, written by admins. docs/product.md#fan-token */
export function fanTokenRoutes(services: Services, write: CatalogueWriter): Route[] {
  return [
    route.post("/api/admin/fan-token", {
      ...CATALOGUE_WRITE,
      cost: { thread: 2, node: 0, stored: 900, mail: 0 },
      summary: "Creates a fan token, or updates it if an id is given",
      body: saveFanTokenRequestSchema,
      failures: { 404: "No fan token has this id", 409: "Another fan token has this slug or contract" },
      responses: { 200: createdSchema, 202: proposedSchema.extend({ id: z.number() }) },
      async handle(call) {
        const { id, asked } = await saveFanToken(services, write, call);
        if (asked) return { status: 202, body: { ...proposed(asked.id, asked.takesEffectAt), id: Number(id) } };
        return { status: 200, body: { success: true, message: "Fan token salvo com sucesso!", id: Number(id) } };
      },
    }),
    route.delete("/api/admin/fan-token/:id", {
      ...CATALOGUE_WRITE,
      cost: { thread: 2, node: 0, stored: 600, mail: 0 },
      summary: "Deletes a fan token",
      responses: { 200: doneSchema },
      async handle(call) {
        const id = readId(call.params.id, "Fan token");
        await write(call, { action: "fan_token.delete", detail: {} }, async (queries) => {
          const name = await removeToken(queries, id, actorOf(call.identity));
          if (name === undefined) throw notFound("Fan token");
          return { result: undefined, subject: `fan_token:${id}`, words: { name } };
        });
        return { body: { success: true, message: "Fan token excluído com sucesso!" } };
      },
    }),
  ];
}

async function saveFanToken(
  services: Services,
  write: CatalogueWriter,
  call: Call<z.output<typeof saveFanTokenRequestSchema>>,
) {
  const { id, contract, symbol, ...fields } = call.body;
  const changer = { actor: actorOf(call.identity), asker: askerOf(services, call.identity, "token_contract") };
  try {
    return await write(call, { action: id ? "fan_token.update" : "fan_token.create", detail: {} }, async (queries) => {
      if (contract) await requireNewContract(queries, contract, id ?? undefined);
      const wanted = { ...fields, ...(symbol ? { symbol } : {}), ...(contract === undefined ? {} : { contract }) };
      const saved = await saveToken(queries, id ?? undefined, wanted, changer);
      if (!saved) throw notFound("Fan token");
      requireFreshAsker(call.identity, saved.asked ? [saved.asked.id] : []);
      const words = { ...saved.atOnce, ...(saved.asked ? { proposals: [String(saved.asked.id)] } : {}) };
      return { result: saved, subject: `fan_token:${saved.id}`, words };
    });
  } catch (error) {
    if (isUniqueViolation(error))
      throw conflict(`Another fan token has the slug ${fields.slug}`, "SLUG_TAKEN", { field: "slug" });
    throw error;
  }
}

async function requireNewContract(queries: Queries, contract: WalletAddress, except?: bigint): Promise<void> {
  const other = await findFanTokenByContract(queries, contract);
  if (!other || other.id === except) return;
  throw conflict(`The fan token ${other.name} already has this contract`, "CONTRACT_TAKEN", { field: "contract" });
}
