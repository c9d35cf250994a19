import { z } from "zod";
import { MAIL_TOPIC_NAMES } from "../events.ts";
import { limit } from "../field-rules.ts";
import { answerOf } from "./common.ts";
import { languageSchema } from "./mail.ts";
import { shortText } from "./short-text.ts";

const choiceSchema = z.strictObject({
  topics: z.array(z.enum(MAIL_TOPIC_NAMES)).max(MAIL_TOPIC_NAMES.length),
  language: languageSchema,
  /** Whether a lock screen may show what an event is worth. */
  show_amounts: z.boolean(),
});

export const choosePushRequestSchema = choiceSchema;

/** What a user wants on their devices, and the ids of these. docs/product.md#push */
export const pushChoiceSchema = answerOf({ ...choiceSchema.shape, devices: z.array(z.number()) });

/** An endpoint has at most so many characters; docs/product.md#push */
const ENDPOINT_LENGTH = 2_048;

/** A browser's `PushSubscription`: an uncompressed point of P-256, and 16 bytes. RFC 8291 */
export const pushDeviceRequestSchema = z.strictObject({
  endpoint: shortText(ENDPOINT_LENGTH, limit("max_length", ENDPOINT_LENGTH)),
  keys: z.strictObject({
    p256dh: shortText(87).regex(/^B[\w-]{86}$/),
    auth: shortText(22).regex(/^[\w-]{22}$/),
  }),
});

export const pushDeviceResponseSchema = answerOf({ id: z.number() });
