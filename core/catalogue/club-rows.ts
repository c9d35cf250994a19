import type { Selectable } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { CLUBS_MAX, clubKey } from "../rules/clubs/club.ts";
import { TorcidaError } from "../rules/torcida-error.ts";

export type ClubRow = Selectable<Schema["clubs"]>;

/** What of a club cannot be. docs/product.md#clubs */
export class ClubError extends TorcidaError {
  override readonly docs = "docs/product.md#clubs";
  readonly field: "slug" | "name" | "token_slug" | "club_slug";

  constructor(field: ClubError["field"], message: string) {
    super(message);
    this.field = field;
  }
}

export async function listClubs(queries: Queries): Promise<ClubRow[]> {
  return active(queries).orderBy("slug").limit(CLUBS_MAX).execute();
}

export async function findClub(queries: Queries, slug: string): Promise<ClubRow | undefined> {
  return active(queries).where("slug", "=", slug).executeTakeFirst();
}

function active(queries: Queries) {
  return queries.selectFrom("clubs").selectAll().where("deleted_at", "is", null);
}

/** The club that a text means: by one of its names, unless another club has it too. docs/product.md#club-names */
export async function matchClub(queries: Queries, text: string): Promise<ClubRow | undefined> {
  const [first, ...others] = await queries
    .selectFrom("club_names")
    .select("club_slug")
    .where("name_key", "=", clubKey(text))
    .limit(2)
    .execute();
  return first && others.length === 0 ? findClub(queries, first.club_slug) : undefined;
}
