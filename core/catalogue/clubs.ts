import { among } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import { CLUBS_MAX, type ClubPattern, clubKeys } from "../rules/clubs/club.ts";
import { idsOf, jsonOf } from "../rules/records.ts";
import { ClubError, type ClubRow, findClub, listClubs } from "./club-rows.ts";
import { findFanTokenBySlug } from "./fan-tokens.ts";
import { lookOf } from "./store-rows.ts";
import { indexStore } from "./store-search.ts";
import { bumpCatalogueVersion } from "./version.ts";

/** A club as a person or a file describes it; an absent `token_slug` keeps the token that it has. */
export type ClubFields = {
  slug: string;
  name: string;
  aliases: readonly string[];
  colours: readonly string[];
  pattern: ClubPattern;
  country: string;
  token_slug?: string | null | undefined;
};

/**
 * Creates a club or changes the one of this slug, and what the texts of stores mean from then on. A changed name raises no
 * bonus: what a person accepted stays, and nothing else decides one. @throws ClubError
 */
export async function saveClub(queries: Queries, fields: ClubFields): Promise<{ before: ClubRow | undefined }> {
  const saved = await saveAmongOthers(queries, fields);
  const twin = (await listClubs(queries)).find(
    ({ slug, name }) => slug !== fields.slug && lookOf(name) === lookOf(fields.name),
  );
  if (twin) throw new ClubError("name", `The club ${twin.slug} is called ${twin.name} already`);
  return saved;
}

/** The same of several, whose names are compared when all have theirs: two may change them with each other. @throws ClubError */
export async function saveAmongOthers(queries: Queries, fields: ClubFields): Promise<{ before: ClubRow | undefined }> {
  const { slug, name, pattern, country, token_slug } = fields;
  await bumpCatalogueVersion(queries);
  const before = await queries.selectFrom("clubs").selectAll().where("slug", "=", slug).executeTakeFirst();
  const standing = before?.deleted_at === null ? before : undefined;
  if (!standing && (await listClubs(queries)).length >= CLUBS_MAX)
    throw new ClubError("slug", `slug would be one too many: there are ${CLUBS_MAX} clubs`);
  if (token_slug && !(await findFanTokenBySlug(queries, token_slug)))
    throw new ClubError("token_slug", `token_slug is not the slug of a fan token: ${token_slug}`);
  const now = BigInt(Date.now());
  const row = {
    ...{ name, pattern, country },
    aliases: jsonOf(fields.aliases),
    colours: fields.colours.join(" "),
    token_slug: token_slug === undefined ? (standing?.token_slug ?? null) : token_slug,
    ...{ updated_at: now, deleted_at: null },
  };
  await queries
    .insertInto("clubs")
    .values({ slug, ...row, created_at: now })
    .onConflict((conflict) => conflict.column("slug").doUpdateSet(row))
    .execute();
  await rename(queries, slug, clubKeys(fields));
  return { before: standing };
}

/** Deletes a club at once: its stores are those of no club until one is chosen. Undefined if there is no such club. */
export async function removeClub(queries: Queries, slug: string): Promise<ClubRow | undefined> {
  await bumpCatalogueVersion(queries);
  const club = await findClub(queries, slug);
  if (!club) return undefined;
  await queries
    .updateTable("clubs")
    .set({ deleted_at: BigInt(Date.now()) })
    .where("slug", "=", slug)
    .execute();
  await queries.updateTable("stores").set({ club_accepted: 0n }).where("club_slug", "=", slug).execute();
  await rename(queries, slug, []);
  return club;
}

/** Sets a club's names, and reads anew the stores that one of them is about: before, or from now on. */
async function rename(queries: Queries, slug: string, keys: readonly string[]): Promise<void> {
  const earlier = await queries.selectFrom("club_names").select("name_key").where("club_slug", "=", slug).execute();
  await queries.deleteFrom("club_names").where("club_slug", "=", slug).execute();
  if (keys.length > 0) {
    const names = keys.map((key) => ({ name_key: key, club_slug: slug }));
    await queries.insertInto("club_names").values(names).execute();
  }
  const touched = new Set([...earlier.map(({ name_key }) => name_key), ...keys]);
  const sharing = await queries
    .selectFrom("club_names")
    .select("club_slug")
    .where(among(queries, "name_key", touched))
    .execute();
  const slugs = [slug, ...sharing.map(({ club_slug }) => club_slug)];
  const stores = await queries
    .selectFrom("stores")
    .select("id")
    .where(({ or }) => or([among(queries, "club_key", touched), among(queries, "club_slug", slugs)]))
    .execute();
  for (const id of idsOf(stores)) await indexStore(queries, id);
}
