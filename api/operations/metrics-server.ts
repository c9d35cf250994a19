import type { RequestHandler } from "express";
import { createServer } from "../../platform/http.ts";
import { listenOn } from "../../platform/listen.ts";
import { isFromThisMachine } from "../http/origin.ts";
import type { Metrics } from "./metrics.ts";

/** Serves `/metrics` on a separate port. Returns a function that stops it. @throws ListenError */
export async function listenForMetrics(metrics: Metrics, port: number, host: string): Promise<() => void> {
  const server = createServer(async (request, response) => {
    if (request.url !== "/metrics") {
      response.statusCode = 404;
      response.end();
      return;
    }
    response.setHeader("content-type", metrics.registry.contentType);
    response.end(await metrics.registry.metrics());
  });
  await listenOn(server, { port, host, variables: { port: "METRICS_PORT", host: "HOST" } });
  return () => server.close();
}

/** Serves `/metrics` to this machine only; a request through a proxy is not local. */
export function serveMetricsLocally(metrics: Metrics): RequestHandler {
  return async (request, response, next) => {
    if (request.path !== "/metrics" || request.method !== "GET" || !isFromThisMachine(request)) return next();
    response.setHeader("content-type", metrics.registry.contentType);
    response.end(await metrics.registry.metrics());
  };
}
