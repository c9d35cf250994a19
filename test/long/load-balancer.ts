import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { portOf } from "../../core/process/listen.ts";

export type LoadBalancer = { url: string; retried(): number; stop(): Promise<void> };

const ROUNDS = 400;
const PAUSE_MS = 50;
/** Errors of a connection that broke before the request can have been received. */
const NOT_HEARD = new Set(["ECONNREFUSED"]);
const READS = new Set(["GET", "HEAD"]);

/**
 * Passes each request to one of several processes in turn. A request that was not delivered goes to the next process;
 * so does a read whose connection broke, and once a
 * read that a starting process refuses with 503. A write whose connection broke returns 502: the caller must retry it.
 */
export async function startLoadBalancer(ports: readonly number[]): Promise<LoadBalancer> {
  let turn = 0;
  let retried = 0;
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const first = turn++;
    for (let attempt = 0; attempt < ROUNDS; attempt++) {
      const port = ports[(first + attempt) % ports.length] ?? 0;
      const mayRefuse = attempt > 0 || !READS.has(incoming.method ?? "");
      const outcome = await pass(incoming, body, port, outgoing, mayRefuse);
      if (outcome === undefined) return;
      const mayRetry = !outgoing.headersSent && (NOT_HEARD.has(outcome) || READS.has(incoming.method ?? ""));
      if (!mayRetry) break;
      retried++;
      if (attempt % ports.length === ports.length - 1) await delay(PAUSE_MS);
    }
    if (outgoing.headersSent) return void outgoing.destroy();
    const message = "The process was lost while it responded; send the request again";
    outgoing.writeHead(502, { "content-type": "application/json" });
    outgoing.end(JSON.stringify({ success: false, error: message, message, code: "BAD_GATEWAY" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    retried: () => retried,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Undefined if the whole response was passed on, otherwise the error's code. */
function pass(
  incoming: IncomingMessage,
  body: Buffer,
  port: number,
  outgoing: ServerResponse,
  mayRefuse: boolean,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? "EUNKNOWN");
    const { method, url, headers } = incoming;
    const passed = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      if (answer.statusCode === 503 && !mayRefuse) return void answer.resume().on("close", () => resolve("503"));
      // Whole responses only: a truncated one must not reach the caller as if it were complete.
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", fail);
      answer.on("aborted", () => resolve("ECONNRESET"));
      answer.on("end", () => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.end(Buffer.concat(chunks));
        resolve(undefined);
      });
    });
    passed.on("error", fail);
    passed.end(body);
  });
}
