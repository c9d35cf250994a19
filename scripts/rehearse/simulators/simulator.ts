import { createServer, type IncomingMessage, type Server } from "node:http";
import { portOf } from "../../../core/process/listen.ts";
import { MINUTE_MS } from "../../../core/rules/iso-time.ts";

export type NetworkCall = { method: string; url: URL; headers: IncomingMessage["headers"]; body: string };
export type NetworkAnswer = { status: number; body: unknown; headers?: Record<string, string> };

/** Faults that a simulated network injects until they are cleared. */
export type Faults = {
  /** The status of every response. */
  status?: number;
  /** Drops connections. */
  isAway?: boolean;
  /** Changes the body of every response. */
  alter?: (body: unknown) => unknown;
  /** With a 429. */
  retryAfterSeconds?: number;
};

/** A simulated network's server: rate limit, faults, and the network's own routes. */
export class Simulator {
  readonly faults: Faults = {};
  readonly calls: { at: number; path: string; status: number }[] = [];
  readonly #server: Server;
  readonly #callsPerMinute: number;

  constructor(callsPerMinute: number, answer: (call: NetworkCall) => NetworkAnswer | undefined) {
    this.#callsPerMinute = callsPerMinute;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (this.faults.isAway) {
          request.socket.destroy();
          return;
        }
        const call = {
          method: request.method ?? "GET",
          url: new URL(request.url ?? "/", "http://network"),
          headers: request.headers,
          body: Buffer.concat(chunks).toString("utf8"),
        };
        const { status, body, headers = {} } = this.#limited() ?? answer(call) ?? { status: 404, body: "Not found" };
        this.calls.push({ at: Date.now(), path: call.url.pathname + call.url.search, status });
        response.writeHead(status, { "content-type": "application/json", ...headers });
        const altered = this.faults.alter?.(body) ?? body;
        response.end(typeof altered === "string" ? altered : JSON.stringify(altered));
      });
    });
  }

  #limited(): NetworkAnswer | undefined {
    if (this.faults.status !== undefined) {
      const { status, retryAfterSeconds } = this.faults;
      const headers: Record<string, string> =
        retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
      return { status, body: { error: "fault" }, headers };
    }
    const recent = this.calls.filter((call) => call.at > Date.now() - MINUTE_MS && call.status !== 429);
    return recent.length >= this.#callsPerMinute ? { status: 429, body: { error: "Too many requests" } } : undefined;
  }

  /** Returns the URL for an account's `api_url`. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
