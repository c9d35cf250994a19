import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Hex } from "viem";

export type RpcCall = { method: string; params: unknown[] };

/**
 * The fate of a call: it is passed on with its response, the connection breaks before the response, no response ever
 * arrives, or the gate responds itself.
 */
type Verdict =
  | "pass"
  | "lose-answer"
  | "never-answer"
  | { result: unknown }
  | { error: { code: number; message: string } };

export type RpcGate = {
  /** With a secret in its path, as with providers. */
  url: string;
  secret: string;
  /** Called before each call is passed on. */
  before: (call: RpcCall) => Verdict | Promise<Verdict>;
  /** Every signed transaction that reached the node, in order, with repetitions. */
  sent: Hex[];
  stop(): Promise<void>;
};

type Numbered = RpcCall & { id: unknown };

async function askNode(target: string, calls: readonly Numbered[]): Promise<{ id: unknown }[]> {
  if (calls.length === 0) return [];
  const headers = { "content-type": "application/json" };
  const response = await fetch(target, { method: "POST", headers, body: JSON.stringify(calls) });
  return (await response.json()) as { id: unknown }[];
}

/** A JSON-RPC proxy in front of a node that lets a test decide the fate of each call. */
export async function openRpcGate(target: string): Promise<RpcGate> {
  const secret = "provider-key-5f2c";
  const server = createServer(async (request, response) => {
    try {
      let body = "";
      for await (const chunk of request) body += chunk;
      const parsed = JSON.parse(body) as Numbered | Numbered[];
      const calls = Array.isArray(parsed) ? parsed : [parsed];
      const verdicts = new Map<unknown, Verdict>();
      for (const call of calls) verdicts.set(call.id, await gate.before({ ...call, params: call.params ?? [] }));
      const passed = calls.filter(({ id }) => typeof verdicts.get(id) === "string");
      for (const { method, params } of passed)
        if (method === "eth_sendRawTransaction") gate.sent.push(params[0] as Hex);
      const answers = new Map((await askNode(target, passed)).map((answer) => [answer.id, answer]));
      const all = [...verdicts.values()];
      if (all.includes("never-answer")) return;
      if (all.includes("lose-answer")) return void response.destroy();
      const told = calls.map(({ id }) => {
        const verdict = verdicts.get(id);
        return typeof verdict === "object" ? { jsonrpc: "2.0", id, ...verdict } : answers.get(id);
      });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(Array.isArray(parsed) ? told : told[0]));
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
