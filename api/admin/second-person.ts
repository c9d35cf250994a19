import { doneSchema, noBodyOrReasonSchema } from "../../domain/api/common.ts";
import { isoTime, isoTimeIfAny } from "../../domain/iso-time.ts";
import type { Permission } from "../../domain/roles.ts";
import { conflict, forbidden, notFound } from "../http/api-error.ts";
import { actorOf, type Identity, type Route, readId, route } from "../http/route.ts";

const VERBS = ["approve", "refuse"] as const;
type Verb = (typeof VERBS)[number];

export type Decision = { identity: Identity; id: bigint; verb: Verb; actor: string; reason: string | null };

type DecisionCalls = {
  path: "/api/admin/approvals" | "/api/admin/percent-approvals";
  permission: Permission;
  what: "Payment" | "Percent";
  summaries: Record<Verb, string>;
  decide(decision: Decision): Promise<void>;
};

export function decisionRoutes({ path, permission, what, summaries, decide }: DecisionCalls): Route[] {
  return VERBS.map((verb) =>
    route.post(`${path}/:id/${verb}` as const, {
      access: "fresh_admin",
      permission,
      summary: summaries[verb],
      limit: { perMinute: 60, by: "wallet" },
      body: noBodyOrReasonSchema,
      failures: { 409: "It is decided or has lapsed already" },
      responses: { 200: doneSchema },
      async handle({ params, body, identity }) {
        const id = readId(params.id, "Approval");
        await decide({ identity, id, verb, actor: actorOf(identity), reason: body.reason || null });
        return { body: { success: true, message: `${what} ${verb}d` } };
      },
    }),
  );
}

export const alreadyDecided = () => conflict("This request is already decided", "DECIDED");
export const lapsed = (why: string) => conflict(why, "LAPSED");

type ApprovalRequest = { asked_by: string; state: string };

/** @throws ApiError unless there is such a request, it is open, and somebody else asked */
export function requireOpen<One extends ApprovalRequest>(
  request: One | undefined,
  actor: string,
  whyLapsed: string,
): One {
  if (!request) throw notFound("Approval");
  if (request.asked_by === actor) throw forbidden("Another administrator must decide on this", "OWN_REQUEST");
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
    decided_at: isoTimeIfAny(row.decided_at),
  };
}
