import { createPublicClient, createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../../core/chain/chains.ts";
import { cashbackDistributorAbi } from "../../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import { registerSimulated } from "../../../core/purchases/decide-sales.ts";
import { type ApiSystem, startSystem } from "../../api/support/system.ts";
import { RULES } from "../../sales/support/shop.ts";
import { until } from "../../testing/until.ts";

type Row = {
  way: string;
  purchases: number;
  seconds: number;
  purchasesPerSecond: number;
  gasAPurchase: number;
  transactions: number;
};

const OPERATOR = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const LOOP_PURCHASES = 100;
const BUYERS = 20;
const LOOP_FIRST_ID = 1_000_000n;
const REGISTERED_AT_ONCE = 200;

/** Purchases from registered to paid, by the sender and by a loop that sends mint, confirmation and payout one by one. */
export async function benchOutbox(count: number): Promise<Row[]> {
  const system = await startSystem({ LOG_LEVEL: "error", SIMULATED_STEP_DELAY_MS: "0" });
  try {
    const buyers = Array.from(
      { length: BUYERS },
      (_, index) => `0x${(index + 1).toString(16).padStart(40, "b")}` as const,
    );
    // The first purchase of a buyer costs more gas and is not counted: both ways serve returning buyers.
    await throughOutbox(system, buyers, BUYERS);
    const outbox = await throughOutbox(system, buyers, count);
    await system.stopApi();
    const loop = await oneByOne(system, buyers);
    return [outbox, loop];
  } finally {
    await system.stop();
  }
}

async function throughOutbox(system: ApiSystem, buyers: readonly `0x${string}`[], count: number): Promise<Row> {
  const { kysely } = await system.database();
  const client = createPublicClient({ transport: http(system.anvil.rpcUrl) });
  const firstBlock = (await client.getBlockNumber({ cacheTime: 0 })) + 1n;
  const started = performance.now();
  const ids: bigint[] = [];
  while (ids.length < count) {
    await kysely.transaction().execute(async (queries) => {
      const registered = await registerSimulated(
        queries,
        Array.from({ length: Math.min(REGISTERED_AT_ONCE, count - ids.length) }, (_, offset) => ({
          wallet: buyers[(ids.length + offset) % buyers.length] ?? "0x",
          storeId: 1n,
          storeName: "Verdão Store",
          amountCents: 10_000n,
          cashbackBps: 500n,
          bonusBps: 0n,
          tokenSlug: null,
          balanceBlock: null,
        })),
        { rules: RULES, mintDelayMs: 0n },
      );
      ids.push(...registered.map(({ id }) => id));
    });
  }
  const [first = 0n, last = 0n] = [ids[0], ids.at(-1)];
  await until(
    `${count} purchases are paid`,
    async () => {
      const row = await kysely
        .selectFrom("payouts")
        .select(({ fn }) => fn.countAll<bigint>().as("n"))
        .where("token_id", ">=", first)
        .where("token_id", "<=", last)
        .executeTakeFirstOrThrow();
      return Number(row.n) === count;
    },
    300_000,
  );
  const seconds = (performance.now() - started) / 1_000;
  const { gas, transactions } = await gasSince(client, firstBlock);
  return toRow("outbox", count, seconds, gas, transactions);
}

/** The simplest implementation: send, wait for the receipt, send the next. */
async function oneByOne(system: ApiSystem, buyers: readonly `0x${string}`[]): Promise<Row> {
  const transport = http(system.anvil.rpcUrl);
  const client = createPublicClient({ transport, pollingInterval: 5 });
  const wallet = createWalletClient({
    account: privateKeyToAccount(OPERATOR),
    chain: { ...spicy, rpcUrls: { default: { http: [system.anvil.rpcUrl] } } },
    transport,
  });
  const purchaseNft = system.deployment.purchaseNft.address;
  const distributor = system.deployment.cashbackDistributor.address;
  const firstBlock = (await client.getBlockNumber({ cacheTime: 0 })) + 1n;
  const started = performance.now();
  for (let index = 0; index < LOOP_PURCHASES; index++) {
    const id = LOOP_FIRST_ID + BigInt(index);
    const purchase = {
      id,
      buyer: buyers[index % buyers.length] ?? "0x",
      storeId: 1,
      valueCents: 10_000,
      baseBps: 500,
      bonusBps: 0,
      saleRef: 0n,
    } as const;
    const send = async (hash: Promise<`0x${string}`>) =>
      client.waitForTransactionReceipt({ hash: await hash, pollingInterval: 5 });
    await send(
      wallet.writeContract({ address: purchaseNft, abi: purchaseNftAbi, functionName: "mint", args: [purchase, ""] }),
    );
    await send(
      wallet.writeContract({ address: purchaseNft, abi: purchaseNftAbi, functionName: "confirm", args: [[id]] }),
    );
    await send(
      wallet.writeContract({
        address: distributor,
        abi: cashbackDistributorAbi,
        functionName: "pay",
        args: [id, 5n * 10n ** 18n, 10n ** 16n],
      }),
    );
  }
  const seconds = (performance.now() - started) / 1_000;
  const { gas, transactions } = await gasSince(client, firstBlock);
  return toRow("one transaction each", LOOP_PURCHASES, seconds, gas, transactions);
}

async function gasSince(
  client: {
    getBlock: ReturnType<typeof createPublicClient>["getBlock"];
    getBlockNumber: ReturnType<typeof createPublicClient>["getBlockNumber"];
  },
  firstBlock: bigint,
) {
  const head = await client.getBlockNumber({ cacheTime: 0 });
  let gas = 0n;
  let transactions = 0;
  for (let number = firstBlock; number <= head; number++) {
    const block = await client.getBlock({ blockNumber: number });
    gas += block.gasUsed;
    transactions += block.transactions.length;
  }
  return { gas, transactions };
}

function toRow(way: string, purchases: number, seconds: number, gas: bigint, transactions: number): Row {
  return {
    way,
    purchases,
    seconds: Math.round(seconds * 100) / 100,
    purchasesPerSecond: Math.round((purchases / seconds) * 10) / 10,
    gasAPurchase: Math.round(Number(gas) / purchases),
    transactions,
  };
}
