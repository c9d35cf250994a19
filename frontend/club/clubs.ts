import type { z } from "zod";
import type { Club as AnsweredClub, clubsResponseSchema } from "../../core/rules/api/clubs.ts";
import { CLUB_PATTERNS, clubKey, clubsByName } from "../../core/rules/clubs/club.ts";
import { type ClubGround, clubGround } from "../../core/rules/clubs/club-colours.ts";
import { get } from "../api/calls.ts";
import type { Heard } from "../api/heard.ts";

type Club = AnsweredClub & ClubGround;
/** `all`: also those without a look. `named`: as docs/product.md#club-names says, undefined if the text means none. */
type Clubs = {
  all: readonly { slug: string; name: string }[];
  ofSlug(slug: string): Club | undefined;
  named(text: string): Club | undefined;
};

export const getClubs = ({ signal }: { signal: AbortSignal }): Promise<Clubs> => get("/api/clubs", readClubs, signal);

/** Without those whose colours are none: what draws them trusts them. A pattern of a later server is drawn plain. */
function readClubs({ clubs }: Heard<z.infer<typeof clubsResponseSchema>>): Clubs {
  const drawn = clubs.flatMap((club) => drawnClub(club) ?? []);
  const bySlug = new Map(drawn.map((club) => [club.slug, club]));
  const byName = clubsByName(drawn);
  return { all: clubs, ofSlug: (slug) => bySlug.get(slug), named: (text) => byName.get(clubKey(text)) };
}

/** Undefined if its colours are none. */
export function drawnClub(club: Heard<AnsweredClub>): Club | undefined {
  if (club.colours.length < 2 || !club.colours.every((one) => COLOUR.test(one))) return undefined;
  const pattern = CLUB_PATTERNS.find((known) => known === club.pattern) ?? "plain";
  return { ...club, ...clubGround(club), pattern };
}

const COLOUR = /^#[\da-f]{6}$/;
