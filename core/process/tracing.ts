import { setTimeout as delay } from "node:timers/promises";
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { z } from "zod";
import { readUrl } from "./environment.ts";
import type { ProcessName } from "./log.ts";

/**
 * OpenTelemetry's own variables; its exporter reads the others of its name by itself. Without the first, nothing is traced,
 * and nothing of OpenTelemetry's SDK is loaded. docs/operations.md#traces
 */
export const TRACE_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((text) => readUrl(["https:", "http:"])(text) !== undefined, "must be an http:// or https:// address")
    .optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, "must be a share from 0 to 1")
    .transform(Number)
    .default(1),
};

type TraceSettings = z.output<z.ZodObject<typeof TRACE_VARIABLES>>;

const SHUTDOWN_MS = 2_000;
let isOpen = false;

/** Sends traces to the collector that the variables name; returns what sends the last ones. */
export async function openTracing(
  process: ProcessName,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share }: TraceSettings,
): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => {};
  const [{ AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, sdk, resources, { OTLPTraceExporter }] =
    await Promise.all([
      import("@opentelemetry/context-async-hooks"),
      import("@opentelemetry/core"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/exporter-trace-otlp-http"),
    ]);
  const ofShare = new sdk.TraceIdRatioBasedSampler(share);
  const provider = new sdk.TracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ "service.name": `torcida-${process}` }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    // Whoever calls may continue a trace, not decide that it is kept.
    sampler: new sdk.ParentBasedSampler({
      root: ofShare,
      remoteParentSampled: ofShare,
      remoteParentNotSampled: ofShare,
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  isOpen = true;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  // A collector that is away holds nobody up.
  return () => Promise.race([provider.shutdown().catch(() => {}), delay(SHUTDOWN_MS, undefined, { ref: false })]);
}

const tracer = trace.getTracer("torcida");

/** What runs now, as a W3C `traceparent`: null outside a trace, undefined where nothing is traced. */
export function traceparentNow(): string | null | undefined {
  if (!isOpen) return undefined;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

const contextOf = (traceparent: string | null | undefined): Context =>
  propagation.extract(ROOT_CONTEXT, traceparent ? { traceparent } : {});

type SpanOptions = {
  attributes: Attributes;
  kind?: SpanKind;
  /** The `traceparent` of what asked for it, if another process did. */
  from?: string | undefined;
};

/** Runs this in a span of its own. An error is marked by its name alone: its message may name a person. */
export function inSpan<Result>(
  name: string,
  { from, ...options }: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const asked = from === undefined ? context.active() : contextOf(from);
  return tracer.startActiveSpan(name, options, asked, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", nameOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

/** What has happened since a moment, in milliseconds since 1970, as a part of the trace that caused it; nothing without one. */
export function recordSpan(
  traceparent: string | null,
  name: string,
  { since, attributes }: { since: bigint; attributes: Attributes },
): void {
  if (traceparent === null) return;
  const startTime = Number(since);
  tracer.startSpan(name, { startTime, attributes, kind: SpanKind.PRODUCER }, contextOf(traceparent)).end();
}
