import { isIPv6 } from "node:net";
import type { ApiEnvironment } from "../../api/environment.ts";
import { readinessSchema } from "../../api/operations/routes.ts";
import { messageOf } from "../../domain/unknown-error.ts";
import { type Finding, findingOf, healthy, SUBJECTS, warning } from "./finding.ts";

const PATIENCE_MS = 10_000;
/** An address that listens on all of a host's. */
const OF_ALL: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** What only the api of this host knows: its rate, its nodes, what its senders wait for, whether it has ids. */
export async function examineApi({ HOST, PORT, SERVICE_TOKENS: [token] }: ApiEnvironment): Promise<Finding[]> {
  const host = OF_ALL[HOST] ?? HOST;
  const url = `http://${isIPv6(host) ? `[${host}]` : host}:${PORT}/readyz`;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    const { faults, sends } = readinessSchema.parse(await answer.json());
    if (!faults) {
      const toDo = "Run the doctor on the api's host with HOST=127.0.0.1, or set SERVICE_TOKENS";
      return [warning("api", `${url} does not tell this caller what is wrong`, toDo)];
    }
    const own = faults.filter(({ name }) => SUBJECTS[name] === "api");
    if (own.length > 0) return own.map(findingOf);
    return [healthy("api", `${url}: it has a node, a rate and ids${sends ? ", and sends" : ""}`)];
  } catch (error) {
    const detail = `${url} does not answer, so its rate, senders and index are unknown: ${messageOf(error)}`;
    return [warning("api", detail, "Start it: npm run api")];
  }
}
