import { z } from "zod";
import { MAIL_TOPIC_NAMES } from "../events.ts";
import { LANGUAGE_NAMES } from "../languages.ts";
import { answerOf } from "./common.ts";

const topics = z.array(z.enum(MAIL_TOPIC_NAMES)).max(MAIL_TOPIC_NAMES.length);
export const languageSchema = z.enum(LANGUAGE_NAMES);

/** What a user gets e-mails about; none are sent until the address is verified. docs/product.md#mail */
export const mailChoiceSchema = answerOf({
  /** Whether this site sends e-mails. */
  is_available: z.boolean(),
  /** Whether the profile's address was verified by a link. */
  is_verified: z.boolean(),
  topics,
  language: languageSchema,
  /** When the link that still verifies it was asked for; null if none was. */
  link_sent_at: z.iso.datetime().nullable(),
});

export const chooseMailRequestSchema = z.strictObject({ topics, language: languageSchema });

/** The token in a link of an e-mail; a wrong one opens a page that says so. */
export const mailLinkQuerySchema = z.object({ token: z.string().max(200).default("") });
