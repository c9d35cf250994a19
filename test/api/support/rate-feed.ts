import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type RateFeed = {
  url: string;
  /** A rate of now, or of this many milliseconds ago. */
  say(weiPerCent: bigint | string, agoMs?: number): void;
  /** These bytes, with this status. */
  answer(text: string, status?: number): void;
  /** Closes every connection without a response. */
  hangUp(): void;
  stop(): void;
};

/** A rate feed with responses chosen by the test. */
export async function startRateFeed(): Promise<RateFeed> {
  let reply = (response: ServerResponse) => void response.destroy();
  const server = createServer((_request, response) => reply(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rate`,
    say(weiPerCent, agoMs = 0) {
      reply = (response) => {
        const at = new Date(Date.now() - agoMs).toISOString();
        response.end(JSON.stringify({ wei_per_cent: weiPerCent.toString(), at }));
      };
    },
    answer(text, status = 200) {
      reply = (response) => void response.writeHead(status).end(text);
    },
    hangUp() {
      reply = (response) => void response.destroy();
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
