import { appendAudit } from "../database/audit-log.ts";
import { BUILT_IN_CLUBS } from "../database/built-in-clubs.ts";
import type { Queries } from "../database/transaction.ts";
import { keysOf } from "../rules/records.ts";
import { type Catalogue, CatalogueFileError, type Found } from "./catalogue-file.ts";
import type { Change } from "./changes.ts";
import { type ClubRow, listClubs } from "./club-rows.ts";
import { saveAmongOthers } from "./clubs.ts";
import { listFanTokens } from "./fan-tokens.ts";
import { lookOf } from "./store-rows.ts";

/** Far above the number of tokens that a shop has. */
const ALL_TOKENS = 10_000;

/**
 * The changes of clubs that an import would make. @throws CatalogueFileError if a row names what is neither in the file
 * nor in the database, or a club whose name another one has
 */
export async function clubChanges(queries: Queries, catalogue: Catalogue): Promise<Change[]> {
  const known = new Map((await listClubs(queries)).map((club) => [club.slug, fileRowOf(club)]));
  const problems = await problemsOf(queries, catalogue, known);
  if (problems.length > 0) throw new CatalogueFileError(problems);
  return catalogue.clubs.flatMap(({ place: _, ...club }) => {
    const before = known.get(club.slug);
    const wanted = {
      ...club,
      token_slug: club.token_slug === undefined ? (before?.token_slug ?? null) : club.token_slug,
    };
    const after = inFile(wanted);
    const changed = keysOf(after).filter((field) => before?.[field] !== after[field]);
    if (changed.length === 0) return [];
    const shown = changed.map((field) => ({ field, to: after[field] }));
    return [
      {
        change: {
          kind: before ? "update" : "create",
          what: "fan_token",
          what_detail: "club",
          name: club.slug,
          fields: shown,
        },
        async apply(queries, { actor }) {
          await saveAmongOthers(queries, wanted);
          const was = before ? { was: Object.fromEntries(changed.map((field) => [field, before[field]])) } : {};
          const detail = { ...Object.fromEntries(changed.map((field) => [field, after[field]])), ...was };
          await appendAudit(queries, { actor, action: "club.save", subject: `club:${club.slug}`, detail });
        },
      } satisfies Change,
    ];
  });
}

type FileRow = ReturnType<typeof inFile>;

/** As a row of a file has it: lists as texts. */
function inFile(club: Omit<Catalogue["clubs"][number], "place">) {
  const { slug, name, aliases, colours, pattern, country, token_slug = null } = club;
  return {
    slug,
    name,
    aliases: aliases.join(", "),
    colours: colours.join(" "),
    pattern: `${pattern}`,
    country,
    token_slug,
  };
}

function fileRowOf({ slug, name, aliases, colours, pattern, country, token_slug }: ClubRow): FileRow {
  const list: readonly string[] = JSON.parse(aliases);
  return { slug, name, aliases: list.join(", "), colours, pattern, country, token_slug };
}

async function problemsOf(
  queries: Queries,
  { clubs, stores, fanTokens }: Catalogue,
  known: ReadonlyMap<string, FileRow>,
): Promise<Found[]> {
  const slugs = new Set([...known.keys(), ...clubs.map(({ slug }) => slug)]);
  const tokens = new Set([...(await listFanTokens(queries, ALL_TOKENS)), ...fanTokens].map(({ slug }) => slug));
  const renamed = new Map([...known.values(), ...clubs].map(({ slug, name }) => [slug, lookOf(name)]));
  const unknownClubs = stores.flatMap(({ name, club_slug }): Found[] => {
    if (!club_slug || slugs.has(club_slug)) return [];
    return [
      { problem: "no_club", values: [club_slug, name], text: `there is no club ${club_slug}, the club of ${name}` },
    ];
  });
  const contradictions = clubs.flatMap(({ place, slug, name, token_slug }): Found[] => {
    const twin = [...renamed].find(([other, look]) => other !== slug && look === lookOf(name))?.[0];
    if (twin !== undefined) {
      const text = `the club ${twin} is called ${name} already`;
      return [{ problem: "club_name_taken", place, values: [twin, name], text }];
    }
    if (!token_slug || tokens.has(token_slug)) return [];
    return [{ problem: "no_token", place, values: [token_slug], text: `there is no fan token ${token_slug}` }];
  });
  return [...unknownClubs, ...contradictions];
}

/** The clubs that are not as Torcida brings them. */
export async function clubRows(queries: Queries): Promise<Record<string, unknown>[]> {
  const brought = new Map(
    BUILT_IN_CLUBS.map((club) => [
      club.slug,
      JSON.stringify(inFile({ ...club, aliases: [...club.aliases], colours: [...club.colours] })),
    ]),
  );
  const rows = (await listClubs(queries)).map(fileRowOf);
  return rows.filter((row) => brought.get(row.slug) !== JSON.stringify(row)).map((row) => ({ type: "club", ...row }));
}
