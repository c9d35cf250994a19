import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "../../../core/database/connect.ts";
import { portOf } from "../../../core/process/listen.ts";
import { startAnvil } from "../../testing/anvil.ts";
import { buyerOf, emit, mintEvents, placeEmitters } from "../../testing/event-chain.ts";
import { round } from "../scale/http.ts";
import { percentile } from "../scale/load.ts";
import { startIndexer } from "./indexer-process.ts";

const EVENTS = 100;
const LOOK_EVERY_MS = 2;
const TIMEOUT_MS = 30_000;

/** From the moment a block with a mint is mined to its row in the database, by WebSocket and by polling. */
export async function measureLatency(newDatabase: () => Promise<string>): Promise<Record<string, number>> {
  const announced = await latencies(await newDatabase(), (rpcUrl) => Promise.resolve({ rpcUrl, close() {} }));
  const polled = await latencies(await newDatabase(), withoutWebSocket);
  return {
    webSocketP50Ms: round(percentile(announced, 0.5)),
    webSocketP95Ms: round(percentile(announced, 0.95)),
    pollingP50Ms: round(percentile(polled, 0.5)),
    pollingP95Ms: round(percentile(polled, 0.95)),
  };
}

async function latencies(
  databaseUrl: string,
  access: (rpcUrl: string) => Promise<{ rpcUrl: string; close(): void }>,
): Promise<number[]> {
  await using stack = new AsyncDisposableStack();
  const anvil = await startAnvil({ manualBlocks: true, extraArguments: ["--no-mining"] });
  stack.defer(() => anvil.stop("SIGKILL"));
  await placeEmitters(anvil);
  await anvil.request("anvil_mine", "0x1");
  const { rpcUrl, close } = await access(anvil.rpcUrl);
  stack.defer(close);
  const indexer = await startIndexer({ rpcUrl, databaseUrl });
  stack.defer(() => indexer.stop());
  await indexer.untilIndexed(1);
  // The subscription starts after the backfill.
  await delay(500);
  const database = await connect(databaseUrl);
  stack.defer(() => database.close());
  const measured: number[] = [];
  for (let id = 1n; id <= BigInt(EVENTS); id += 1n) {
    await emit(anvil, mintEvents({ tokenId: id, buyer: buyerOf(Number(id)) }));
    await anvil.request("anvil_mine", "0x1");
    const mined = performance.now();
    const row = () =>
      database.kysely.selectFrom("nfts").select("token_id").where("token_id", "=", id).executeTakeFirst();
    while (!(await row())) {
      if (performance.now() - mined > TIMEOUT_MS) throw new Error(`Token ${id} did not appear in the index`);
      await delay(LOOK_EVERY_MS);
    }
    measured.push(performance.now() - mined);
    // Varies, so that blocks do not align with the polling interval.
    await delay(Number(id % 7n) * 23);
  }
  return measured;
}

/** A proxy to the node that does not support WebSockets. */
async function withoutWebSocket(rpcUrl: string): Promise<{ rpcUrl: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: await buffer(request),
    });
    response.setHeader("content-type", "application/json");
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.on("upgrade", (_, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const port = portOf(server);
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
