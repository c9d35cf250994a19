import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Hex } from "viem";

export type RpcCall = { method: string; params: unknown[] };

/**
 * What becomes of a call: the node gets it and its answer is told, or the connection breaks before the answer, or no answer
 * ever comes; or the gate answers itself.
 */
type Verdict =
  | "pass"
  | "lose-answer"
  | "never-answer"
  | { result: unknown }
  | { error: { code: number; message: string } };

export type RpcGate = {
  /** With a secret in its path, as providers have them. */
  url: string;
  secret: string;
  /** Asked before each call is passed on. */
  before: (call: RpcCall) => Verdict | Promise<Verdict>;
  /** Every signed transaction that reached the node, in order, with repetitions. */
  sent: Hex[];
  stop(): Promise<void>;
};

/** A JSON-RPC proxy in front of a node, through which a test decides about each call. */
export async function openRpcGate(target: string): Promise<RpcGate> {
  const secret = "provider-key-5f2c";
  const server = createServer(async (request, response) => {
    try {
      let body = "";
      for await (const chunk of request) body += chunk;
      const call = JSON.parse(body) as RpcCall & { id: unknown };
      const verdict = await gate.before({ ...call, params: call.params ?? [] });
      if (typeof verdict === "object") {
        response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...verdict }));
        return;
      }
      if (call.method === "eth_sendRawTransaction") gate.sent.push(call.params[0] as Hex);
      const headers = { "content-type": "application/json" };
      const answer = await (await fetch(target, { method: "POST", headers, body })).text();
      if (verdict === "lose-answer") response.destroy();
      if (verdict === "pass") response.setHeader("content-type", "application/json").end(answer);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const gate: RpcGate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/${secret}`,
    secret,
    before: () => "pass",
    sent: [],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return gate;
}
