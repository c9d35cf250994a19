import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Answer = { status: string; message?: string; result: string };
type Fields = Record<string, string>;

export type Explorer = {
  url: string;
  /** Decides the response; undefined is a server error. */
  answer: (fields: Fields) => Answer | undefined;
  /** The requests, in order. */
  asked: Fields[];
  stop(): Promise<void>;
};

/** A server that accepts sources like Etherscan. */
export async function openExplorer(): Promise<Explorer> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const fields = Object.fromEntries(new URLSearchParams(body));
    explorer.asked.push(fields);
    const answer = explorer.answer(fields);
    if (answer) response.end(JSON.stringify(answer));
    else response.writeHead(502).end("<html>Bad gateway</html>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const explorer: Explorer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    answer: () => undefined,
    asked: [],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return explorer;
}
