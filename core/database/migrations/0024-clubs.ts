import { type Kysely, sql } from "kysely";
import { clubKey, clubKeys } from "../../rules/clubs/club.ts";
import { jsonOf } from "../../rules/records.ts";
import type { DatabaseEngine } from "../connect.ts";
import CLUBS from "./0024-clubs.json" with { type: "json" };
import { readSql, runSql } from "./sql-migration.ts";

/** Beside each text that a store has for its club, the club that it means; what was typed stays, and so does every bonus. */
export async function clubs(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  await runSql(db, engine, readSql("0024-clubs.sql"));
  const now = BigInt(Date.now());
  const named = new Map<string, string[]>();
  for (const club of CLUBS) {
    const { slug, name, aliases, colours, pattern, country } = club;
    await sql`insert into clubs (slug, name, aliases, colours, pattern, country, created_at, updated_at)
      values (${slug}, ${name}, ${jsonOf(aliases)}, ${colours.join(" ")}, ${pattern}, ${country}, ${now}, ${now})`.execute(
      db,
    );
    for (const key of clubKeys(club)) {
      named.set(key, [...(named.get(key) ?? []), slug]);
      await sql`insert into club_names (name_key, club_slug) values (${key}, ${slug})`.execute(db);
    }
  }
  const { rows } = await sql<{ club: string }>`select distinct club from stores where club is not null`.execute(db);
  for (const { club } of rows) {
    const [slug = null, ...others] = named.get(clubKey(club)) ?? [];
    const meant = others.length === 0 ? slug : null;
    const name = CLUBS.find((one) => one.slug === meant)?.name ?? club;
    await sql`update stores set club_slug = ${meant}, club_key = ${clubKey(name)} where club = ${club}`.execute(db);
  }
}
