import type { Server } from "node:http";
import { createServer } from "./http.ts";
import { type Listening, listenOn } from "./listen.ts";

/** What a process says of itself; it is ready if it does its work. */
export type Health = {
  readiness(): Promise<{ ready: boolean }> | { ready: boolean };
  /** In the format of Prometheus. */
  metrics(): Promise<string> | string;
};

/** `/healthz`: the process is running. `/readyz`: it is ready. `/metrics`: Prometheus. @throws ListenError */
export function openHealthServer(at: Listening, health: Health): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "/").split("?")[0];
    if (path === "/metrics") {
      response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
      return response.end(await health.metrics());
    }
    const [code, body] = await answer(path, health);
    response.statusCode = code;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  });
  return listenOn(server, at);
}

async function answer(path: string | undefined, { readiness }: Health): Promise<[number, object]> {
  if (path === "/healthz") return [200, { status: "ok" }];
  if (path !== "/readyz") return [404, { error: "Not found; there are /healthz, /readyz and /metrics" }];
  const state = await readiness();
  return [state.ready ? 200 : 503, state];
}
