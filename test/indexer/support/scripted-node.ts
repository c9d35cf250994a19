import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type RpcCall = { id: number; method: string; params: unknown[] };
/** The response instead of the node's; undefined passes the call on. `status` is the HTTP status. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; result?: unknown; error?: unknown }
  | undefined;

export type ScriptedNode = {
  url: string;
  calls: RpcCall[];
  /** The calls of each request: more than one are a batch. */
  requests: RpcCall[][];
  stop(): Promise<void>;
};

/** A proxy of a node that a script can override. Batches are passed on call by call. */
export async function startScriptedNode(
  target: string,
  script: (call: RpcCall, passOn: () => Promise<unknown>) => Reply | Promise<Reply>,
): Promise<ScriptedNode> {
  const calls: RpcCall[] = [];
  const requests: RpcCall[][] = [];
  const answerOf = async (call: RpcCall): Promise<{ result?: unknown; error?: unknown }> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(target, { method: "POST", headers, body: JSON.stringify(call) });
    return response.json();
  };
  const passOn = async (call: RpcCall) => (await answerOf(call)).result;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as RpcCall | RpcCall[];
    requests.push([body].flat());
    const answers = [];
    for (const call of [body].flat()) {
      calls.push(call);
      const reply = await script(call, () => passOn(call));
      if (reply?.status) return void response.writeHead(reply.status, reply.headers).end("{}");
      const { error, result } = reply ?? (await answerOf(call));
      answers.push({ jsonrpc: "2.0", id: call.id, ...(error ? { error } : { result }) });
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
