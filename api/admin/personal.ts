import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { joinFullName } from "../../core/rules/text.ts";
import { actorOf, type Identity, isAllowed } from "../http/route.ts";
import { noteOwners } from "../operations/notices.ts";
import type { Services } from "../services.ts";

/** Names and e-mails: only who helps people reads them whole. docs/product.md#panel-people */
type Personal = { email: string; first_name: string; last_name: string; nickname: string };

export const readsPeople = (identity: Identity): boolean => isAllowed(identity, "people:read");

/** As everybody else in the team reads them: `a…@g…` and initials. */
export function masked<Row extends Personal>(row: Row): Row {
  const { email, first_name, last_name, nickname } = row;
  const [name = "", host = ""] = email.split("@");
  return {
    ...row,
    email: email === "" ? "" : `${initial(name)}…@${initial(host)}…`,
    first_name: initialsOf(first_name),
    last_name: initialsOf(last_name),
    nickname: initialsOf(nickname),
  };
}

const initial = (text: string) => [...text][0] ?? "";

/** `Ana Maria` → `A. M.` */
export const initialsOf = (name: string): string =>
  joinFullName(name, "")
    .split(" ")
    .filter(Boolean)
    .map((word) => `${initial(word)}.`)
    .join(" ");

/** Into the audit log and to the owners: so many people's data left the shop. docs/product.md#panel-people */
export async function noteExport(services: Services, identity: Identity, count: number): Promise<void> {
  const actor = actorOf(identity);
  await inAuditedTransaction(services.database.kysely, actor, async (queries) => {
    await appendAudit(queries, { actor, action: "user.export", subject: "users", detail: { count } });
    await noteOwners(services, queries, { kind: "people_exported", count, text: `${actor} exported ${count} people` });
  });
}

const HOUR_MS = 3_600_000;
/** So many read in an hour on pages count as an export too. */
const READ_AN_HOUR = 500;
const read = new Map<string, { since: number; count: number }>();

/** Pages are for looking somebody up; who reads them all has exported them. */
export async function noteRead(services: Services, identity: Identity, count: number): Promise<void> {
  const actor = actorOf(identity);
  const now = Date.now();
  const before = read.get(actor);
  const known = before && now - before.since < HOUR_MS ? before : { since: now, count: 0 };
  known.count += count;
  read.set(actor, known);
  if (known.count < READ_AN_HOUR) return;
  read.delete(actor);
  await noteExport(services, identity, known.count);
}
