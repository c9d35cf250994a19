import { z } from "zod";
import { atMostEvery } from "../../core/process/at-most-every.ts";
import { doneSchema, healthSchema } from "../../core/rules/api/common.ts";
import { configResponseSchema } from "../../core/rules/api/config.ts";
import { faultRequestSchema } from "../../core/rules/api/faults.ts";
import { FAULT_NAMES, kindOf } from "../../core/rules/system-faults.ts";
import { isFromThisMachine } from "../http/origin.ts";
import { type Identity, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { appConfig } from "../site/app-config.ts";
import { listFaults } from "./system-faults.ts";

const KEPT_MS = 1_000;

export function operationRoutes(services: Services): Route[] {
  const { log, drain } = services;
  // A look reads and writes the database: strangers, however many, make one a second.
  const faultsForStrangers = atMostEvery(KEPT_MS, () => listFaults(services));
  return [
    route.get("/api", {
      access: "anyone",
      cost: { thread: 0.15, node: 0, stored: 0, mail: 0 },
      summary: "Health check",
      responses: { 200: healthSchema },
      handle: () => ({ body: { success: true, status: "ok" } }),
    }),
    route.get("/api/config", {
      access: "anyone",
      cost: { thread: 0.3, node: 0, stored: 0, mail: 0 },
      summary: "The web app's configuration",
      responses: { 200: configResponseSchema },
      handle: () => ({
        body: { success: true, data: appConfig(services) },
        headers: { "cache-control": "no-cache" },
      }),
    }),
    route.post("/api/faults", {
      access: "anyone",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "A fault that the web app met, for the log; counted with the requests",
      body: faultRequestSchema,
      responses: { 200: doneSchema },
      handle({ body }) {
        log.warn({ fault: body }, "The web app met a fault");
        return { body: { success: true, message: "Noted" } };
      },
    }),
    route.get("/healthz", {
      access: "anyone",
      cost: { thread: 0.15, node: 0, stored: 0, mail: 0 },
      isProbe: true,
      summary: "Whether the process takes requests; 503 once it is asked to stop",
      responses: { 200: z.object({ status: z.literal("ok") }), 503: z.object({ status: z.literal("draining") }) },
      handle: () =>
        drain.isDraining ? { status: 503, body: { status: "draining" as const } } : { body: { status: "ok" as const } },
    }),
    route.get("/readyz", {
      access: "anyone",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      isProbe: true,
      summary: "Whether every dependency is available",
      responses: { 200: readinessSchema, 503: readinessSchema },
      async handle({ request, identity }) {
        const isOurs = isFromThisMachine(request) || actsForUs(identity);
        const faults = await (isOurs ? listFaults(services) : faultsForStrangers());
        const problems = faults.filter(({ name }) => kindOf(name).blocks);
        const warnings = faults.filter(({ name }) => !kindOf(name).blocks);
        const isReady = problems.length === 0;
        const status = isReady ? ("ready" as const) : ("not ready" as const);
        const texts = { problems: problems.map(({ text }) => text), warnings: warnings.map(({ text }) => text) };
        return {
          status: isReady ? 200 : 503,
          body: isOurs ? { status, ...texts, faults, sends: services.senders.sends } : { status },
        };
      },
    }),
  ];
}

function actsForUs(identity: Identity): boolean {
  return identity.kind === "service" || (identity.kind === "user" && identity.role !== undefined);
}

export const readinessSchema = z.object({
  status: z.enum(["ready", "not ready"]),
  /** The rest for this machine, staff and services only. */
  problems: z.array(z.string()).optional(),
  /** What does not stop the process, with reasons. */
  warnings: z.array(z.string()).optional(),
  /** Both, each with its name. */
  faults: z.array(z.object({ name: z.enum(FAULT_NAMES), text: z.string() })).optional(),
  /** Whether this process sends transactions. */
  sends: z.boolean().optional(),
});
