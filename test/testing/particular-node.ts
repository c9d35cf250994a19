import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Call = { id: number; method: string; params: unknown[] };

/** What a provider in front of a node takes, and how it says no. Each call of a batch counts. */
export type Particular = {
  /** Requests with more calls than these are refused; a list of one is a batch too if it is 0. */
  batches?: { most: number; refusal: "error object" | "named" | "first only" | "short list" | 400 | 404 | 405 };
  /** More calls in any second are refused. */
  aSecond?: { most: number; refusal: "429" | "each call" | "whole batch"; retryAfter?: string };
};

export type ParticularNode = {
  url: string;
  /** Calls that were answered, and that were refused for their number. */
  answered: Call[];
  refused: number;
  /** The largest batch that was answered. */
  largest: number;
  set(particular: Particular): void;
  stop(): Promise<void>;
};

const TOO_MANY = { code: -32_005, message: "daily request count exceeded, request rate limited" };

/** Passes on to `target` what a provider with these particulars would answer. */
export async function startParticularNode(target: string, particular: Particular = {}): Promise<ParticularNode> {
  let { batches, aSecond } = particular;
  let recent: { at: number; calls: number }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Call | Call[];
    const calls = [body].flat();
    const isBatch = Array.isArray(body) && (calls.length > 1 || batches?.most === 0);
    if (isTooFast(calls.length)) {
      node.refused += calls.length;
      return refuseForSpeed(body, response);
    }
    if (isBatch && batches && calls.length > batches.most) {
      const answer = await refusalOfBatch(calls, response);
      if (answer !== undefined) end(response, answer);
      return;
    }
    node.answered.push(...calls);
    node.largest = Math.max(node.largest, calls.length);
    end(response, await pass(body));
  });

  function isTooFast(calls: number): boolean {
    if (!aSecond) return false;
    const now = performance.now();
    recent = recent.filter(({ at }) => now - at < 1_000);
    if (recent.reduce((sum, one) => sum + one.calls, 0) + calls > aSecond.most) return true;
    recent.push({ at: now, calls });
    return false;
  }

  function refuseForSpeed(body: Call | Call[], response: ServerResponse): void {
    const { refusal, retryAfter } = aSecond ?? { refusal: "429" as const };
    if (refusal === "429") {
      response.writeHead(429, retryAfter ? { "retry-after": retryAfter } : {}).end("Too Many Requests");
      return;
    }
    const refusalOf = ({ id }: { id: number | null }) => ({ jsonrpc: "2.0", id, error: TOO_MANY });
    end(response, refusal === "each call" && Array.isArray(body) ? body.map(refusalOf) : refusalOf({ id: null }));
  }

  async function refusalOfBatch(calls: readonly Call[], response: ServerResponse): Promise<unknown> {
    const { most = 0, refusal } = batches ?? {};
    if (typeof refusal === "number") return void response.writeHead(refusal).end("{}");
    if (refusal === "first only") return pass(calls[0]);
    if (refusal === "short list") return pass(calls.slice(0, Math.max(1, most)));
    const message = refusal === "named" ? `batch size is limited to ${most} calls` : "Invalid request";
    return { jsonrpc: "2.0", id: null, error: { code: -32_600, message } };
  }

  async function pass(body: unknown): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    return (await fetch(target, { method: "POST", headers, body: JSON.stringify(body) })).json();
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const node: ParticularNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: [],
    refused: 0,
    largest: 0,
    set(next) {
      ({ batches, aSecond } = next);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return node;
}

function end(response: ServerResponse, answer: unknown): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(answer));
}
