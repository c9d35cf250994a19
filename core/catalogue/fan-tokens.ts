import type { Selectable } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import {
  type Asker,
  findLastDone,
  lapseProposals,
  noteStopped,
  type Proposed,
  type ProposedFields,
  propose,
} from "../database/proposals.ts";
import type { Queries } from "../database/transaction.ts";
import { LIST_LIMIT } from "../rules/product.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { bumpCatalogueVersion } from "./version.ts";

export type FanTokenRow = Selectable<Schema["fan_tokens"]>;

export type FanTokenFields = {
  name: string;
  slug: string;
  symbol: string;
  image: string;
  contract: WalletAddress | null;
};

export async function listFanTokens(queries: Queries, limit = LIST_LIMIT): Promise<FanTokenRow[]> {
  return active(queries).orderBy("id").limit(limit).execute();
}

export async function findFanTokenBySlug(queries: Queries, slug: string): Promise<FanTokenRow | undefined> {
  return active(queries).where("slug", "=", slug).executeTakeFirst();
}

export async function findFanTokenByContract(
  queries: Queries,
  contract: WalletAddress,
): Promise<FanTokenRow | undefined> {
  return active(queries).where("contract", "=", contract).executeTakeFirst();
}

function active(queries: Queries) {
  return queries.selectFrom("fan_tokens").selectAll().where("deleted_at", "is", null);
}

/** @throws a unique violation if another token has the slug. */
async function insertFanToken(queries: Queries, fields: FanTokenFields): Promise<bigint> {
  const now = BigInt(Date.now());
  const { id } = await queries
    .insertInto("fan_tokens")
    .values({ ...fields, created_at: now, updated_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  await bumpCatalogueVersion(queries);
  return id;
}

/** Returns false if there is no such token. @throws a unique violation if another token has the slug. */
export async function updateFanToken(
  queries: Queries,
  id: bigint,
  fields: Partial<FanTokenFields> & { deleted_at?: bigint },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("fan_tokens")
    .set({ ...fields, updated_at: BigInt(Date.now()) })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await bumpCatalogueVersion(queries);
  return numUpdatedRows === 1n;
}

/** Without an asker it is somebody with a shell on the server, whom nobody has to agree with. */
type TokenChanger = { actor: string; asker: Asker | undefined };
type WantedToken = Pick<FanTokenFields, "name" | "slug" | "image"> &
  Partial<Pick<FanTokenFields, "symbol" | "contract">>;

/**
 * Creates a fan token, or changes one. Its holders get a bonus by its contract, so a contract that its buyers do not know
 * is proposed, the first one too. Undefined: no token has the id. docs/product.md#proposals
 * @throws a unique violation if another token has the slug
 */
export async function saveToken(
  queries: Queries,
  id: bigint | undefined,
  wanted: WantedToken,
  { actor, asker }: TokenChanger,
): Promise<{ id: bigint; atOnce: Partial<FanTokenFields>; asked: Proposed | undefined } | undefined> {
  const before = id === undefined ? undefined : await active(queries).where("id", "=", id).executeTakeFirst();
  if (id !== undefined && !before) return undefined;
  const known = before?.contract ?? (await findKnownContract(queries, wanted.slug)) ?? null;
  const { contract, ...others } = wanted;
  const isMoved = Boolean(asker && contract && contract !== known);
  const atOnce = isMoved ? others : wanted;
  if (before?.contract && contract === null) await keepContract(queries, before, actor);
  if (before) await updateFanToken(queries, before.id, atOnce);
  const saved =
    before?.id ??
    (await insertFanToken(queries, {
      ...others,
      symbol: wanted.symbol ?? wanted.slug.toUpperCase(),
      contract: (isMoved ? null : contract) ?? null,
    }));
  if (!asker || !isMoved) return { id: saved, atOnce, asked: undefined };
  const from = { contract: before?.contract ?? null };
  const wish = { kind: "token_contract" as const, subject: saved, from, to: { contract: contract ?? null } };
  return { id: saved, atOnce, asked: await propose(queries, wish, asker) };
}

/** Deletes a token at once, with what waits for it. Returns its name; undefined if there is no such token. */
export async function removeToken(queries: Queries, id: bigint, actor: string): Promise<string | undefined> {
  const token = await active(queries).where("id", "=", id).executeTakeFirst();
  if (!token) return undefined;
  await keepContract(queries, token, actor);
  return (await updateFanToken(queries, id, { deleted_at: BigInt(Date.now()) })) ? token.name : undefined;
}

const slugSubject = (slug: string) => `slug ${slug}`;

/** So that a token that comes back with another contract is known as a move. */
async function keepContract(queries: Queries, { id, slug, contract }: FanTokenRow, actor: string): Promise<void> {
  await lapseProposals(queries, "token_contract", id);
  if (contract === null) return;
  await noteStopped(queries, { kind: "token_contract", subject: slugSubject(slug), from: { contract } }, actor);
}

async function findKnownContract(queries: Queries, slug: string): Promise<string | undefined> {
  const last = await findLastDone(queries, "token_contract", slugSubject(slug));
  return last && JSON.parse(last.from_fields).contract;
}

/** Carries out what was agreed to; false if the token is no longer what it was about, or another has this contract. */
export async function moveContract(
  queries: Queries,
  id: bigint,
  { from, to }: { from: ProposedFields; to: ProposedFields },
): Promise<boolean> {
  const token = await active(queries).where("id", "=", id).executeTakeFirst();
  const contract = to.contract as WalletAddress;
  if (!token || token.contract !== from.contract || (await findFanTokenByContract(queries, contract))) return false;
  return updateFanToken(queries, id, { contract });
}
