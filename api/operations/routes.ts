import { sql } from "kysely";
import { z } from "zod";
import { polledAccounts } from "../../affiliates/accounts.ts";
import { budgetProblem, listBudgets } from "../../affiliates/budget.ts";
import { failingText, listFailing } from "../../affiliates/read-progress.ts";
import { clockProblem, oldBackups, readClockOffset } from "../../database/upkeep.ts";
import { writeProblem } from "../../database/write-probe.ts";
import { doneSchema, healthSchema } from "../../domain/api/common.ts";
import { configResponseSchema } from "../../domain/api/config.ts";
import { faultRequestSchema } from "../../domain/api/faults.ts";
import { listUndecided } from "../../purchases/due.ts";
import { foreignText, listForeign } from "../../sender/foreign-transactions.ts";
import { warningsOf } from "../../sender/queue-summary.ts";
import { NO_STORE } from "../http/answers.ts";
import { isFromThisMachine } from "../http/origin.ts";
import { type Identity, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { appConfig } from "../site/app-config.ts";

/** docs/product.md#limit-calls. Far above what load balancers and monitors need. */
const READY_LIMIT = { perMinute: 3_000, by: "origin" } as const;

/** docs/product.md#faults */
const FAULT_LIMIT = { perMinute: 10, by: "origin" } as const;

/** Health, readiness, and the configuration of the web app. */
export function operationRoutes(services: Services): Route[] {
  return [indexRoute(), configRoute(services), faultRoute(services), healthRoute(services), readinessRoute(services)];
}

function indexRoute(): Route {
  return route({
    method: "get",
    path: "/api",
    access: "anyone",
    summary: "Health check",
    responses: { 200: healthSchema },
    handle: () => ({ body: { success: true, status: "ok" } }),
  });
}

function configRoute(services: Services): Route {
  return route({
    method: "get",
    path: "/api/config",
    access: "anyone",
    summary: "The web app's configuration",
    responses: { 200: configResponseSchema },
    handle: () => ({
      body: { success: true, data: appConfig(services) },
      headers: { "cache-control": "no-cache" },
    }),
  });
}

function faultRoute({ log }: Services): Route {
  return route({
    method: "post",
    path: "/api/faults",
    access: "anyone",
    summary: "A fault that the web app met, for the log; counted with the requests",
    limit: FAULT_LIMIT,
    body: faultRequestSchema,
    responses: { 200: doneSchema },
    handle({ body }) {
      log.warn({ fault: body }, "The web app met a fault");
      return { body: { success: true, message: "Noted" } };
    },
  });
}

function healthRoute({ drain }: Services): Route {
  return route({
    method: "get",
    path: "/healthz",
    access: "anyone",
    summary: "Whether the process takes requests; 503 once it is asked to stop",
    responses: { 200: z.object({ status: z.literal("ok") }), 503: z.object({ status: z.literal("draining") }) },
    handle: () =>
      drain.isDraining ? { status: 503, body: { status: "draining" as const } } : { body: { status: "ok" as const } },
  });
}

function readinessRoute(services: Services): Route {
  const { senders } = services;
  return route({
    method: "get",
    path: "/readyz",
    access: "anyone",
    summary: "Whether every dependency is available",
    limit: READY_LIMIT,
    responses: { 200: readinessSchema, 503: readinessSchema },
    async handle({ request, identity }) {
      const problems: string[] = [];
      const { kysely } = services.database;
      const answers = await sql`select 1`.execute(kysely).then(
        () => true,
        () => false,
      );
      if (!answers) problems.push("The database does not answer");
      const unwritable = answers ? await writeProblem(kysely) : undefined;
      if (unwritable) problems.push(`The database cannot write: ${unwritable}`);
      // Known from the last check of the nodes: requests here cause no node calls.
      if (!services.nodes.isReady) problems.push(`The chain does not answer: ${services.nodes.problem}`);
      for (const { key, status } of senders.all) {
        if (status.isWalletEmpty) problems.push(`The ${key}'s wallet cannot pay for gas`);
      }
      const rate = services.rates.current();
      if (rate.kind === "unavailable") problems.push(`There is no exchange rate: ${rate.reason}`);
      const summary = await services.queueSummary().catch(() => []);
      const held = senders.all
        .flatMap(({ status }) => Object.entries(status.held))
        .map(([kind, reason]) => `${kind}: ${reason}`);
      const foreign = await listForeign(services.database.kysely, senders.keys).catch(() => []);
      const warnings = [...held, ...warningsOf(summary), ...foreign.slice(0, WARNED).map(foreignText)];
      for (const { key, status } of senders.all) {
        if (status.problem) warnings.push(`The ${key}'s sender waits: ${status.problem}`);
      }
      if (!(await services.ids.isOpen(services.database.kysely).catch(() => true)))
        warnings.push("No purchase is registered until the index is complete");
      const undecided = await listUndecided(kysely, WARNED).catch(() => []);
      for (const { id, problem } of undecided) warnings.push(`The next step of purchase ${id} fails: ${problem}`);
      const budgets = await listBudgets(kysely, polledAccounts(services.accounts)).catch(() => []);
      warnings.push(...budgets.flatMap((budget) => budgetProblem(budget) ?? []));
      const isReady = problems.length === 0;
      const status = isReady ? ("ready" as const) : ("not ready" as const);
      const isOurs = isFromThisMachine(request) || actsForUs(identity);
      const failing = await listFailing(kysely, polledAccounts(services.accounts)).catch(() => []);
      warnings.push(...failing.map(failingText));
      const offset = await readClockOffset(kysely).catch(() => 0);
      warnings.push(...(await oldBackups(kysely).catch(() => [])), ...[clockProblem(offset) ?? []].flat());
      return {
        status: isReady ? 200 : 503,
        body: isOurs ? { status, problems, warnings, sends: senders.sends } : { status },
        headers: NO_STORE,
      };
    },
  });
}

function actsForUs(identity: Identity): boolean {
  return identity.kind === "service" || (identity.kind === "user" && identity.role !== undefined);
}

/** How many foreign transactions and failing purchases are listed; the metrics count all. */
const WARNED = 5;

const readinessSchema = z.object({
  status: z.enum(["ready", "not ready"]),
  /** These three for this machine, staff and services only. */
  problems: z.array(z.string()).optional(),
  /** Waiting and failed operations, with reasons. */
  warnings: z.array(z.string()).optional(),
  /** Whether this process sends transactions. */
  sends: z.boolean().optional(),
});
