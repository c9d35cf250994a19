import type { ApiEnvironment } from "../../api/environment.ts";
import { oldestPush } from "../../api/push/delivery.ts";
import type { Database } from "../../core/database/connect.ts";
import { type Finding, healthy, warning } from "./finding.ts";

/** As for e-mails: a service that is away for a while is nothing to do. */
const WAITS_MS = 3_600_000;

/**
 * Whose messages devices get. A key that cannot be read, or has no subject, is a mistake of the configuration; a message
 * that waits may be that of one device whose service is away.
 */
export async function examinePush(
  { VAPID_KEY_FILE: keys, VAPID_SUBJECT: subject }: Pick<ApiEnvironment, "VAPID_KEY_FILE" | "VAPID_SUBJECT">,
  open: () => Promise<Pick<Database, "kysely" | "close">>,
): Promise<Finding[]> {
  if (!keys) return [];
  const key = `messages to devices are signed by ${keys.publicKey}, as ${subject}`;
  // Another line says what is wrong with the database.
  const database = await open().catch(() => undefined);
  const oldest = await (database && oldestPush(database.kysely).catch(() => undefined));
  await database?.close();
  if (oldest === undefined || Date.now() - Number(oldest) < WAITS_MS) return [healthy("push", key)];
  const since = new Date(Number(oldest)).toISOString();
  return [warning("push", `a message waits since ${since}; ${key}`, "docs/runbook/push-away.md")];
}
