import type { Queries } from "../database/transaction.ts";
import { messageOf } from "../domain/unknown-error.ts";
import { createServer } from "../platform/http.ts";
import { listenOn } from "../platform/listen.ts";
import type { PolledAccount } from "./network.ts";
import { type FailingAccount, failingText, listFailing } from "./read-progress.ts";

export type ReaderStatus = {
  /** Whether this process reads; otherwise another one does, or none can. */
  isReading: boolean;
  /** Undefined until the database was opened. */
  queries: Queries | undefined;
};

type Listening = { port: number; host: string; accounts: readonly PolledAccount[]; status: ReaderStatus };

/** `/healthz`: the process is running. `/readyz`: every account is read. `/metrics`: Prometheus. Returns what ends it. */
export async function openHealthServer({ port, host, accounts, status }: Listening): Promise<() => void> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "/").split("?")[0];
    if (path === "/metrics") {
      response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
      return response.end(metricsOf(status, await readFailing(status, accounts)));
    }
    const [code, body] = await answer(path, status, accounts);
    response.statusCode = code;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  });
  await listenOn(server, { port, host, variables: { port: "AFFILIATES_PORT", host: "AFFILIATES_HOST" } });
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

async function answer(path: string | undefined, status: ReaderStatus, accounts: readonly PolledAccount[]) {
  if (path === "/healthz") return [200, { status: "ok" }] as const;
  if (path !== "/readyz") return [404, { error: "Not found; there are /healthz, /readyz and /metrics" }] as const;
  const failing = await readFailing(status, accounts);
  const problems = typeof failing === "string" ? [failing] : failing.map(failingText);
  const state = status.isReading ? "reading" : "standby";
  return [problems.length === 0 ? 200 : 503, { ready: problems.length === 0, state, problems }] as const;
}

/** A sentence where the database cannot say. */
async function readFailing(
  { queries }: ReaderStatus,
  accounts: readonly PolledAccount[],
): Promise<FailingAccount[] | string> {
  if (queries === undefined) return "The database does not answer";
  return listFailing(queries, accounts).catch((error: unknown) => `The database does not answer: ${messageOf(error)}`);
}

function metricsOf({ isReading }: ReaderStatus, failing: FailingAccount[] | string): string {
  return [
    "# TYPE torcida_affiliate_reading gauge",
    `torcida_affiliate_reading ${isReading ? 1 : 0}`,
    "# TYPE torcida_database_ready gauge",
    `torcida_database_ready ${typeof failing === "string" ? 0 : 1}`,
    "# TYPE torcida_affiliate_failing gauge",
    ...(typeof failing === "string" ? [] : failing).map(
      ({ network, account }) => `torcida_affiliate_failing{network="${network}",account="${account}"} 1`,
    ),
    "",
  ].join("\n");
}
