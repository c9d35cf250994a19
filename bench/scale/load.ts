import { Agent, request } from "node:http";

export type Call = { method?: "GET" | "POST"; path: string; token?: string; body?: unknown };
export type Loaded = { count: number; perSecond: number; p50Ms: number; p99Ms: number; failures: number };
export type Answer = { status: number; text: string; ms: number };

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** One request over a kept connection, and how long it took until its last byte. */
export function ask(url: string, { method = "GET", path, token, body }: Call): Promise<Answer> {
  const started = performance.now();
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers: Record<string, string | number> = {
    ...(token && { authorization: `Bearer ${token}` }),
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
    for (let turn = 0; performance.now() < deadline; turn++) {
      const { status, ms } = await ask(url, next(index, turn));
      if (status >= 200 && status < 300) times.push(ms);
      else failures++;
    }
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
