import type { BuiltInClub } from "../rules/clubs/club.ts";
import FIRST from "./migrations/0024-clubs.json" with { type: "json" };

/**
 * The clubs of Brazil's first division of 2026, and others with a fan token on the Chiliz chain: names and colours in the
 * order of the shirt, each as two public sources have them; no crest, and no token, which only a person joins to a club.
 * As a new database has them: the list that migration 0024 brings, which never changes, with what a further migration
 * corrects. docs/product.md#clubs
 */
export const BUILT_IN_CLUBS = FIRST as readonly BuiltInClub[];
