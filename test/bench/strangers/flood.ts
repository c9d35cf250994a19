/**
 * A stranger in a process of its own: so many connections, each with its next request right after a response, for so many
 * milliseconds. Its last line is how often each status came.
 */
import { Agent, request as ask } from "node:http";
import type { Flood } from "../strangers.ts";

const { url, method = "GET", path, body, from, connections, milliseconds }: Flood = JSON.parse(process.argv[2] ?? "{}");
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const until = performance.now() + milliseconds;
const statuses: Record<string, number> = {};

const headers: Record<string, string | number> = {
  "x-forwarded-for": from,
  ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
};

function once(): Promise<string> {
  return new Promise((resolve) => {
    const sent = ask(`${url}${path}`, { method, headers, agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(String(response.statusCode)));
      response.on("error", () => resolve("broken"));
    });
    sent.on("error", () => resolve("broken"));
    sent.end(body);
  });
}

async function caller(): Promise<void> {
  while (performance.now() < until) {
    const status = await once();
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

await Promise.all(Array.from({ length: connections }, caller));
console.log(JSON.stringify(statuses));
process.exit(0);
