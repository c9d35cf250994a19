import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import { z } from "zod";
import { CHAIN_IDS } from "../../domain/networks.ts";
import { findAnvil } from "../start/local-chain.ts";

/** The floor of Spicy's base fee. */
export const BASE_FEE_WEI = 2_500n * 10n ** 9n;
const BLOCK_SECONDS = 3;
const FEE_EVERY_MS = 500;
const PATIENCE_MS = 120_000;
const NEVER_FINAL = new Set(["finalized", "safe"]);

export type SpicyChain = { url: string; request(method: string, ...params: unknown[]): Promise<unknown>; stop(): void };

type Call = { id: unknown; method: string; params?: unknown[] };
const answerSchema = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });

/** A local chain with Spicy's rules: 3 s blocks, a base fee at the floor, no `finalized`, and no Multicall3. */
export async function startSpicyChain(port: number, nodePort: number): Promise<SpicyChain> {
  const binary = findAnvil();
  if (!binary) throw new Error("There is no anvil for this machine: install Foundry, or use x64 Linux");
  const rules = ["--chain-id", String(CHAIN_IDS.spicy), "--hardfork", "cancun", "--block-time", String(BLOCK_SECONDS)];
  const fees = ["--block-base-fee-per-gas", String(BASE_FEE_WEI), "--balance", "1000000"];
  const child = spawn(binary, [...rules, ...fees, "--silent", "--host", "127.0.0.1", "--port", String(nodePort)], {
    stdio: "ignore",
  });
  const node = `http://127.0.0.1:${nodePort}`;
  const request = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const answer = answerSchema.parse(await post(node, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })));
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  await untilItAnswers(request);
  const fee = setInterval(() => {
    request("anvil_setNextBlockBaseFeePerGas", `0x${BASE_FEE_WEI.toString(16)}`).catch(() => {});
  }, FEE_EVERY_MS);
  const server = await serve(port, node);
  return {
    url: `http://127.0.0.1:${port}`,
    request,
    stop() {
      clearInterval(fee);
      server.closeAllConnections();
      server.close();
      child.kill("SIGKILL");
    },
  };
}

async function untilItAnswers(request: SpicyChain["request"]): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; ) {
    try {
      return void (await request("eth_chainId"));
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A proxy in front of the node: requests for the final block get block 0, as on Chiliz. */
async function serve(port: number, node: string): Promise<Server> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString("utf8");
    });
    request.on("end", () => {
      // A caller that disconnected leaves an incomplete request.
      Promise.resolve()
        .then(() => post(node, rewritten(body)))
        .then(
          (answer) => response.setHeader("content-type", "application/json").end(JSON.stringify(answer)),
          () => response.writeHead(502).end(),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

function rewritten(body: string): string {
  const parsed: Call | Call[] = JSON.parse(body);
  const calls = [parsed].flat().map((call) => ({
    ...call,
    params: call.params?.map((one) => (typeof one === "string" && NEVER_FINAL.has(one) ? "0x0" : one)),
  }));
  return JSON.stringify(Array.isArray(parsed) ? calls : calls[0]);
}

async function post(url: string, body: string): Promise<unknown> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return response.json();
}
