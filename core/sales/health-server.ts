import type { Queries } from "../database/transaction.ts";
import { openHealthServer } from "../process/health-server.ts";
import { messageOf } from "../rules/unknown-error.ts";
import type { PolledAccount } from "./network.ts";
import { type FailingAccount, failingText, listFailing } from "./read-progress.ts";

export type ReaderStatus = {
  /** Whether this process reads; otherwise another one does, or none can. */
  isReading: boolean;
  /** Undefined until the database was opened. */
  queries: Queries | undefined;
};

type Listening = { port: number; host: string; accounts: readonly PolledAccount[]; status: ReaderStatus };

/** Ready: every account is read. Returns what ends the server. */
export async function openReaderHealth({ port, host, accounts, status }: Listening): Promise<() => void> {
  const at = { port, host, variables: { port: "AFFILIATES_PORT", host: "AFFILIATES_HOST" } };
  const server = await openHealthServer(at, {
    async readiness() {
      const failing = await readFailing(status, accounts);
      const problems = typeof failing === "string" ? [failing] : failing.map(failingText);
      return { ready: problems.length === 0, state: status.isReading ? "reading" : "standby", problems };
    },
    metrics: async () => metricsOf(status, await readFailing(status, accounts)),
  });
  return () => {
    server.close();
    server.closeAllConnections();
  };
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
