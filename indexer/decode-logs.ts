import { ContradictoryLogsError } from "../core/chain/contract-events.ts";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import type { ChainNode } from "./chain-node.ts";
import type { Context } from "./context.ts";
import { type DecodedLogs, decodeEvents, type RpcLog } from "./events.ts";

/**
 * Decodes a node's logs. Ids that cannot be purchases of ours are skipped with a warning.
 * @throws RpcError if the logs contradict each other, so that the request is retried, perhaps on another node
 */
export function decodeLogs(
  { log, metrics }: Pick<Context, "log" | "metrics">,
  node: Pick<ChainNode, "name" | "firstTickets">,
  logs: readonly RpcLog[],
): Omit<DecodedLogs, "ignored"> {
  const { ignored, ...decoded } = decodeOrRefuse(node, logs);
  if (ignored > 0) {
    metrics.ignored(ignored);
    const from = Number(logs[0]?.blockNumber);
    log.warn({ ignored, from }, "Ignored events with an id above 2^63 - 1, which cannot be a purchase of this shop");
  }
  return decoded;
}

function decodeOrRefuse(
  { name, firstTickets }: Pick<ChainNode, "name" | "firstTickets">,
  logs: readonly RpcLog[],
): DecodedLogs {
  try {
    return decodeEvents(logs, firstTickets);
  } catch (error) {
    if (!(error instanceof ContradictoryLogsError)) throw error;
    throw new RpcError("inconsistent", `${name} returned contradictory logs: ${error.message}`);
  }
}
