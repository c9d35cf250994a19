import { z } from "zod";
import { isReadableName } from "../chain-text.ts";
import { CLUB_PATTERNS, RESERVED_CLUB_SLUGS } from "../clubs/club.ts";
import { limit, must } from "../field-rules.ts";
import { optionalSlug, slugSchema, text } from "./catalogue.ts";
import { answerOf } from "./common.ts";
import { figuresSchema } from "./fans.ts";
import { shortText } from "./short-text.ts";

const ALIASES = 30;
/** A list, or a text with a separator as a file and a form have it. */
const split = (separator: RegExp) => (given: unknown) =>
  typeof given === "string" && given.length <= 4_000 ? given.split(separator).filter((one) => one.trim()) : given;

const aliasSchema = text(60).refine((alias) => alias === "" || isReadableName(alias), must("hidden_characters"));

/** A club: created, or changed if there is one of this slug. docs/product.md#clubs */
export const saveClubRequestSchema = z.strictObject({
  slug: slugSchema.refine((slug) => !RESERVED_CLUB_SLUGS.includes(slug), must("reserved")),
  name: text(60).min(1, must("empty")).refine(isReadableName, must("hidden_characters")),
  aliases: z
    .preprocess(split(/[,;\n]/), z.array(aliasSchema, must("names")).max(ALIASES, limit("max", ALIASES)))
    .optional()
    .transform((aliases) => [...new Set(aliases?.filter(Boolean))]),
  colours: z.preprocess(
    split(/[,;\s]+/),
    z
      .array(
        shortText(7, must("colours"))
          .toLowerCase()
          .regex(/^#[0-9a-f]{6}$/, must("colours")),
        must("colours"),
      )
      .min(2, must("colours"))
      .max(3, must("colours")),
  ),
  pattern: z.enum(CLUB_PATTERNS, { error: `must be one of ${CLUB_PATTERNS.join(", ")}` }),
  /** ISO 3166. */
  country: shortText(2, must("country_code"))
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, must("country_code")),
  /** Absent: the token that it has; null: none. */
  token_slug: optionalSlug,
});

export const clubSchema = z.object({
  slug: z.string(),
  name: z.string(),
  aliases: z.array(z.string()),
  /** Two or three, `#rrggbb`: the cloth, and what is on it. */
  colours: z.array(z.string()),
  pattern: z.enum(CLUB_PATTERNS),
  /** ISO 3166. */
  country: z.string(),
  /** The fan token that a person joined to it. */
  token_slug: z.string().nullable(),
});
export type Club = z.infer<typeof clubSchema>;

export const clubsResponseSchema = answerOf({ clubs: z.array(clubSchema) });
export const clubResponseSchema = answerOf({
  club: clubSchema,
  /** Of its fans together; null where they are too few to tell. */
  figures: figuresSchema.nullable(),
});
