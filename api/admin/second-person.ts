import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { doneSchema, noBodyOrReasonSchema } from "../../core/rules/api/common.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import type { Permission, Role } from "../../core/rules/roles.ts";
import { conflict, forbidden, notFound } from "../http/api-error.ts";
import { actorOf, type Route, readId, roleOf, route } from "../http/route.ts";
import type { Services } from "../services.ts";

type Verb = "approve" | "agree" | "refuse" | "undo";

export type Decision<Verbs extends Verb = Verb> = {
  id: bigint;
  verb: Verbs;
  actor: string;
  role: Role;
  reason: string | null;
};

type Asked = { id: bigint; asked_by: string; state: string };

/** What decisions on the requests of one table differ in; `decisionRoutes` has what they have in common. */
export type Requests<Row extends Asked, Verbs extends Verb> = {
  path: "/api/admin/approvals" | "/api/admin/percent-approvals" | "/api/admin/proposals";
  permission: Permission;
  what: string;
  verbs: Readonly<Partial<Record<Verbs, string>>>;
  /** Of the log: `approval`, with the verb after a point. */
  action: "approval" | "percent" | "proposal";
  /** Why a request has lapsed. */
  whyLapsed: string;
  find(queries: Queries, id: bigint): Promise<Row | undefined>;
  /** @throws ApiError if this person may not decide about it for another reason than having asked */
  requireOther(asked: Row, decision: Decision<Verbs>): void;
  /** Carries the decision out. `lapsed`: what it was about has changed. Undefined: it is decided already. */
  decide(queries: Queries, asked: Row, decision: Decision<Verbs>): Promise<"done" | "lapsed" | undefined>;
  /** Whom the reason is about; null if nobody. */
  personOf(asked: Row): string | null;
  /** The subject and the words of the log's entry. */
  logged(asked: Row): { subject: string; words: Record<string, unknown> };
  afterwards?(): void;
};

/** Only agreeing sets something going, so only it needs a fresh sign-in where the request can also be undone. */
const STOPPING: readonly Verb[] = ["refuse", "undo"];

/** The calls by which a second person decides. docs/product.md#proposals */
export function decisionRoutes<Row extends Asked, Verbs extends Verb>(
  services: Services,
  requests: Requests<Row, Verbs>,
): Route[] {
  const verbs = Object.entries(requests.verbs) as [Verbs, string][];
  return verbs.map(([verb, summary]) =>
    route.post(`${requests.path}/:id/${verb as Verb}` as const, {
      access: "undo" in requests.verbs && STOPPING.includes(verb) ? "admin" : "fresh_admin",
      permission: requests.permission,
      summary,
      cost: { thread: 3, node: 0, stored: 900, mail: 0 },
      body: noBodyOrReasonSchema,
      failures: { 409: "It is decided or has lapsed already" },
      responses: { 200: doneSchema },
      async handle({ params, body, identity }) {
        const id = readId(params.id, "Approval");
        const decision = { id, verb, actor: actorOf(identity), role: roleOf(identity), reason: body.reason || null };
        await decide(services, requests, decision);
        const done = { approve: "approved", agree: "agreed to", refuse: "refused", undo: "undone" }[verb as Verb];
        return { body: { success: true, message: `${requests.what} ${done}` } };
      },
    }),
  );
}

async function decide<Row extends Asked, Verbs extends Verb>(
  services: Services,
  requests: Requests<Row, Verbs>,
  decision: Decision<Verbs>,
): Promise<void> {
  const { id, verb, actor, reason } = decision;
  const action = `${requests.action}.${verb}`;
  const outcome = await inAuditedTransaction(services.database.kysely, actor, async (queries) => {
    const asked = requireOpen(await requests.find(queries, id), decision, requests.whyLapsed);
    requests.requireOther(asked, decision);
    const result = await requests.decide(queries, asked, decision);
    if (result === undefined) throw alreadyDecided();
    const { subject, words } = requests.logged(asked);
    const detail = { ...words, asked_by: asked.asked_by, ...(result === "lapsed" ? { lapsed: true } : {}) };
    const note = { about: requests.personOf(asked), words: { reason } };
    await appendAudit(queries, { actor, action, subject, detail, note });
    return result;
  });
  services.log.info({ action, request: Number(id) }, "Decided by an admin");
  requests.afterwards?.();
  services.senders.wake();
  if (outcome === "lapsed") throw lapsed(requests.whyLapsed);
}

const alreadyDecided = () => conflict("This request is already decided", "DECIDED");
const lapsed = (why: string) => conflict(why, "LAPSED");

/** @throws ApiError unless there is such a request, it waits, and somebody else asked */
function requireOpen<Row extends Asked>(request: Row | undefined, { verb, actor }: Decision, whyLapsed: string): Row {
  if (!request) throw notFound("Approval");
  // Undoing is everybody's, and of an agreed one whose day is still to come too.
  if (verb === "undo" && (request.state === "open" || request.state === "agreed")) return request;
  if (request.asked_by === actor && verb !== "undo")
    throw forbidden("Another administrator must decide on this", "OWN_REQUEST");
  if (request.state === "lapsed") throw lapsed(whyLapsed);
  if (request.state !== "open") throw alreadyDecided();
  return request;
}

type DecisionRow<State> = {
  id: bigint;
  state: State;
  asked_by: string;
  decided_by: string | null;
  decision_reason: string | null;
  created_at: bigint;
  decided_at: bigint | null;
};

/** What every request for a second person tells the panel. */
export function toWireDecision<State>(row: DecisionRow<State>) {
  const { state, asked_by, decided_by, decision_reason } = row;
  return {
    ...{ id: Number(row.id), state, asked_by, decided_by, decision_reason },
    created_at: isoTime(row.created_at),
    decided_at: isoTime(row.decided_at),
  };
}
