import { spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";

/** `from`: the address that it says it comes from. */
export type Call = { method?: "GET" | "POST"; path: string; token?: string; from?: string; body?: unknown };
export type Loaded = { count: number; perSecond: number; p50Ms: number; p99Ms: number; failures: number };
export type Answer = { status: number; text: string; ms: number };

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** One request over a kept connection, and the time until the last byte of its response. */
export function ask(url: string, { method = "GET", path, token, from, body }: Call): Promise<Answer> {
  const started = performance.now();
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers: Record<string, string | number> = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(from && { "x-forwarded-for": from }),
    ...(payload && { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString("utf8"),
          ms: performance.now() - started,
        }),
      );
    });
    sent.on("error", reject);
    sent.end(payload);
  });
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/**
 * A kept connection that sends one request after the other and parses just enough of the response: the server under
 * test shares this machine's cores, and Node's own client uses as much of them as the server.
 */
class Caller {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answered: ((status: number) => void) | undefined;
  #failed: (error: Error) => void = () => {};

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on("data", (chunk) => this.#read(chunk));
    this.#socket.on("error", (error) => this.#failed(error));
    this.#socket.on("close", () => this.#failed(new Error("The server closed a connection")));
  }

  send(call: Call): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(textOf(call));
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const endOfHead = this.#received.indexOf(END_OF_HEAD);
    if (endOfHead < 0) return;
    const head = this.#received.toString("latin1", 0, endOfHead);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#failed(new Error(`A response without a length: ${head}`));
      return;
    }
    if (this.#received.length < endOfHead + END_OF_HEAD.length + Number(length)) return;
    this.#received = Buffer.alloc(0);
    this.#answered?.(Number(head.slice(9, 12)));
  }
}

function textOf({ method = "GET", path, token, body }: Call): string {
  const payload = body === undefined ? "" : JSON.stringify(body);
  const headers = [
    `${method} ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...(token ? [`authorization: Bearer ${token}`] : []),
    ...(payload ? ["content-type: application/json", `content-length: ${Buffer.byteLength(payload)}`] : []),
  ];
  return `${headers.join("\r\n")}\r\n\r\n${payload}`;
}

/** A number of callers, each with its next request right after a response, for a given time. */
export async function load(
  url: string,
  {
    connections,
    seconds,
    next,
  }: { connections: number; seconds: number; next: (caller: number, turn: number) => Call },
): Promise<Loaded> {
  const times: number[] = [];
  let failures = 0;
  const started = performance.now();
  const deadline = started + seconds * 1_000;
  const caller = async (index: number) => {
    const connection = new Caller(url);
    for (let turn = 0; performance.now() < deadline; turn++) {
      const sent = performance.now();
      const status = await connection.send(next(index, turn));
      if (status >= 200 && status < 300) times.push(performance.now() - sent);
      else failures++;
    }
    connection.end();
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => caller(index)));
  const took = (performance.now() - started) / 1_000;
  return {
    count: times.length,
    perSecond: times.length / took,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    failures,
  };
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median time of several runs in sequence. */
export async function medianMs(times: number, work: (turn: number) => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    const started = performance.now();
    await work(turn);
    taken.push(performance.now() - started);
  }
  return percentile(taken, 0.5);
}

const BARE = `
import express from "express";
const app = express();
const text = process.argv[1];
app.use(express.json());
app.use((request, response) => { response.type("application/json").send(text); });
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** A bare Express server in its own process, which answers every request with the same bytes. */
export async function startBare(bytes: string): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", BARE, "--", bytes], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
  );
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}
