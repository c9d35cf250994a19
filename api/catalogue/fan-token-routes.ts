import type { z } from "zod";
import {
  findFanTokenByContract,
  findFanTokenName,
  insertFanToken,
  updateFanToken,
} from "../../catalogue/fan-tokens.ts";
import { isUniqueViolation, type Queries } from "../../database/transaction.ts";
import { saveFanTokenRequestSchema } from "../../domain/api/catalogue.ts";
import { createdSchema, doneSchema } from "../../domain/api/common.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { type Call, type Route, readId, route } from "../http/route.ts";
import { CATALOGUE_WRITE, type CatalogueWriter } from "./catalogue-writer.ts";

/** Fan tokens, written by admins. docs/product.md#fan-token */
export function fanTokenRoutes(write: CatalogueWriter): Route[] {
  return [
    route.post("/api/admin/fan-token", {
      ...CATALOGUE_WRITE,
      summary: "Creates a fan token, or updates it if an id is given",
      body: saveFanTokenRequestSchema,
      failures: { 404: "No fan token has this id", 409: "Another fan token has this slug or contract" },
      responses: { 200: createdSchema },
      async handle(call) {
        const id = await saveFanToken(write, call);
        return { body: { success: true, message: "Fan token salvo com sucesso!", id: Number(id) } };
      },
    }),
    route.delete("/api/admin/fan-token/:id", {
      ...CATALOGUE_WRITE,
      summary: "Deletes a fan token",
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
}

async function saveFanToken(
  write: CatalogueWriter,
  call: Call<z.output<typeof saveFanTokenRequestSchema>>,
): Promise<bigint> {
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

async function requireNewContract(queries: Queries, contract: WalletAddress, except?: bigint): Promise<void> {
  const other = await findFanTokenByContract(queries, contract);
  if (!other || other.id === except) return;
  throw conflict(`The fan token ${other.name} already has this contract`, "CONTRACT_TAKEN", { field: "contract" });
}
