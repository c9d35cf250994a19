import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Hex, hexToBigInt, hexToNumber, type TransactionSerializableEIP1559 } from "viem";
import { privateKeyToAccount } from "viem/accounts";

type Request = { id: number; method: string; params: [Record<string, Hex>] };

export type SigningService = {
  url: string;
  address: `0x${string}`;
  /** How many transactions it signed. */
  signed(): number;
  /** Its behaviour for the next requests: signs, falsifies, refuses, or never responds. */
  behave(
    as: "signs" | "refuses" | "hangs" | ((asked: TransactionSerializableEIP1559) => TransactionSerializableEIP1559),
  ): void;
  stop(): Promise<void>;
};

/** A program that holds a key and speaks `eth_signTransaction`, as Web3Signer does. `signWith` makes it use another key. */
export async function startSigningService(privateKey: Hex, signWith = privateKey): Promise<SigningService> {
  const account = privateKeyToAccount(signWith);
  let behaviour: Parameters<SigningService["behave"]>[0] = "signs";
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Request;
    if (behaviour === "hangs") return;
    const answer = (outcome: object) => response.end(JSON.stringify({ jsonrpc: "2.0", id: body.id, ...outcome }));
    if (behaviour === "refuses") return void answer({ error: { code: -32000, message: "key is locked" } });
    const asked = transactionOf(body.params[0]);
    const raw = await account.signTransaction(behaviour === "signs" ? asked : behaviour(asked));
    count += 1;
    answer({ result: raw });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    address: privateKeyToAccount(privateKey).address,
    signed: () => count,
    behave: (as) => {
      behaviour = as;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function transactionOf(asked: Record<string, Hex>): TransactionSerializableEIP1559 {
  const quantity = (name: string) => hexToBigInt(asked[name] ?? "0x0");
  return {
    type: "eip1559",
    to: asked.to,
    data: asked.data,
    value: quantity("value"),
    gas: quantity("gas"),
    nonce: hexToNumber(asked.nonce ?? "0x0"),
    chainId: hexToNumber(asked.chainId ?? "0x0"),
    maxFeePerGas: quantity("maxFeePerGas"),
    maxPriorityFeePerGas: quantity("maxPriorityFeePerGas"),
  };
}
