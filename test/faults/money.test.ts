import { expect } from "chai";
import {
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  numberToHex,
  pad,
  size,
  slice,
} from "viem";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { readSetting } from "../../core/database/settings.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const MILLION_CHZ = `0x${(10n ** 24n).toString(16)}`;

describe("Money that cannot move (F6, F9, F10, F32) @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem();
  });
  after(() => system?.stop());

  const operator = async () => (await system.anvil.request<string[]>("eth_accounts"))[0] ?? "";
  const readiness = async () => {
    const response = await fetch(`${system.url}/readyz`);
    return { status: response.status, text: await response.text() };
  };

  it("waits with an empty hot wallet, reports it, and resumes after a top-up (F9)", async () => {
    const buyer = await system.shopper();
    await system.anvil.request("anvil_setBalance", await operator(), "0x0");
    const id = await buyer.buy(1, 100);
    await until("/readyz reports it", async () => {
      const { status, text } = await readiness();
      return status === 503 && /wallet/i.test(text);
    });
    expect((await system.ledger()).mintsOf(id)).to.deep.equal([]);
    await system.anvil.request("anvil_setBalance", await operator(), MILLION_CHZ);
    await system.settled();
    await until("/readyz is 200", async () => (await readiness()).status === 200);
  });

  it("is ready again once a payout that the wallet could not resend is mined, although nothing else is due", async () => {
    const { anvil, run } = system;
    const buyer = await system.shopper();
    await run("scripts/payouts.ts", ["--pause", "until it is confirmed"]);
    await system.inStatus(await buyer.buy(1, 100), "Confirmed");
    await anvil.request("evm_setAutomine", false);
    await anvil.request("evm_setIntervalMining", 0);
    const pending = async () => Number((await anvil.request<{ pending: string }>("txpool_status")).pending);
    try {
      await run("scripts/payouts.ts", ["--resume"]);
      await until("the payment is in the pool", async () => (await pending()) > 0);
      await anvil.request("anvil_setBalance", await operator(), "0x0");
      await anvil.request("anvil_dropAllTransactions");
      await until("/readyz reports it", async () => /wallet/i.test((await readiness()).text));
      await anvil.request("anvil_setBalance", await operator(), MILLION_CHZ);
      await until("the payment is in the pool again", async () => (await pending()) > 0);
    } finally {
      await anvil.request("evm_setAutomine", true);
      await anvil.request("evm_setIntervalMining", 1);
    }
    await system.settled();
    await until("/readyz is 200", async () => (await readiness()).status === 200);
  });

  it("is not reported by a process that no longer sends", async () => {
    const { api, anvil } = system;
    const buyer = await system.shopper();
    const sends = async (url: string) => ((await (await fetch(`${url}/readyz`)).json()) as { sends: boolean }).sends;
    await until("the first one sends", () => sends(api.url));
    const standby = await system.anotherApi();
    await anvil.request("anvil_setBalance", await operator(), "0x0");
    await buyer.buy(1, 100);
    await until("/readyz reports it", async () => (await readiness()).status === 503);
    process.kill(api.pid(), "SIGSTOP");
    await until("the other one sends", () => sends(standby.url));
    process.kill(api.pid(), "SIGCONT");
    await anvil.request("anvil_setBalance", await operator(), MILLION_CHZ);
    await system.settled();
    await until("both are ready", async () => {
      const statuses = await Promise.all(
        [api.url, standby.url].map(async (url) => (await fetch(`${url}/readyz`)).status),
      );
      return statuses.every((status) => status === 200) && !(await sends(api.url));
    });
    await standby.stop();
  });

  it("waits with an empty distributor, reports it, and pays after a top-up (F9)", async () => {
    const distributor = system.deployment.cashbackDistributor.address;
    const buyer = await system.shopper();
    await system.anvil.request("anvil_setBalance", distributor, "0x0");
    const id = await buyer.buy(1, 100);
    await until("/readyz reports it", async () => /pay/.test((await readiness()).text));
    expect((await system.ledger()).paymentsOf(id)).to.deep.equal([]);
    await system.anvil.request("anvil_setBalance", distributor, MILLION_CHZ);
    await system.settled();
  });

  it("credits recipients that revert, loop or return megabytes, and pays the others (F10)", async () => {
    const hostile: Record<string, Hex> = {
      reverts: "0x60006000fd",
      loops: "0x5b600056",
      floods: "0x62100000600052621000006000f3",
    };
    const friendly = await system.shopper();
    const buyers = await Promise.all(
      Object.entries(hostile).map(async ([name, code]) => {
        const buyer = await system.shopper();
        await system.anvil.request("anvil_setCode", buyer.address, code);
        return { name, buyer, id: await buyer.buy(1, 100) };
      }),
    );
    await friendly.paid([await friendly.buy(1, 100)]);
    await system.settled();
    for (const { name, buyer, id } of buyers) {
      const purchase = (await buyer.me()).purchases.find((one) => one.id === id);
      expect(purchase?.cashback_state, name).to.equal("deferred");
    }
    const [refusing] = buyers;
    if (!refusing) throw new Error("There are three");
    const { statement, purchases } = await refusing.buyer.me();
    expect([statement.on_the_way, statement.in_wallet]).to.deep.equal([purchases[0]?.cashback_amount, "0"]);
    const from = refusing.buyer.address;
    await system.anvil.request("anvil_impersonateAccount", from);
    await system.anvil.request("anvil_setCode", from, "0x");
    await system.anvil.request("anvil_setBalance", from, MILLION_CHZ);
    const to = system.deployment.cashbackDistributor.address;
    const data = encodeFunctionData({ abi: cashbackDistributorAbi, functionName: "withdrawCredit", args: [from] });
    await system.anvil.request("eth_sendTransaction", { from, to, data });
    await until("the withdrawn credit is in the wallet", async () => {
      const { on_the_way, in_wallet } = (await refusing.buyer.me()).statement;
      return on_the_way === "0" && in_wallet === statement.on_the_way;
    });
    const page = await refusing.buyer.call("GET", "/api/purchases");
    expect(page.body.purchases[0]?.situation).to.equal("paid");
  });

  it("ignores a look-alike token of another contract (F32)", async () => {
    const buyer = await system.shopper();
    const before = await buyer.me();
    const [, , , stranger] = await system.anvil.request<string[]>("eth_accounts");
    const lookAlike = { tokenId: 4_242n, buyer: buyer.address, storeId: 1 };
    const data = encodeAbiParameters([{ type: "uint40" }, { type: "uint16" }, { type: "uint16" }], [100_000, 500, 0]);
    const topics = encodeEventTopics({ abi: purchaseNftAbi, eventName: "PurchaseMinted", args: lookAlike }) as Hex[];
    await system.anvil.request("eth_sendTransaction", { from: stranger, data: emit(topics, data), gas: "0x100000" });
    await (await system.shopper()).buy(1, 10);
    await system.settled();
    const after = await buyer.me();
    expect(after.totals).to.deep.equal(before.totals);
    expect(after.nfts).to.deep.equal([]);
  });

  /** Buys, and lets another transaction of the operator's take the mint's nonce while the api is dead. Returns the id. */
  const loseNonceTo = async (other: (mint: { to: string; data: string }) => object): Promise<number> => {
    const from = await operator();
    const buyer = await system.shopper();
    await system.settled();
    await system.anvil.request("evm_setAutomine", false);
    await system.anvil.request("evm_setIntervalMining", 0);
    const id = await buyer.buy(1, 64);
    const status = () => system.anvil.request<{ pending: string }>("txpool_status");
    await until("our mint is in the pool", async () => Number((await status()).pending) > 0);
    await system.api.stop("SIGKILL");
    const { to_address: to, data } = await inDatabase(({ kysely }) =>
      kysely.selectFrom("transactions").selectAll().orderBy("id", "desc").executeTakeFirstOrThrow(),
    );
    await system.anvil.request("anvil_dropAllTransactions");
    await system.anvil.request("eth_sendTransaction", { from, ...other({ to, data }) });
    await system.anvil.request("anvil_mine", "0x1");
    await system.anvil.request("evm_setAutomine", true);
    await system.anvil.request("evm_setIntervalMining", 1);
    system.api.start();
    return id;
  };
  const inDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await connect(system.databaseUrl);
    return work(database).finally(() => database.close());
  };
  const pauseReason = () =>
    until("payouts are paused", () =>
      inDatabase(async ({ kysely }) => (await readSetting(kysely, "payouts_paused")) || undefined),
    );

  it("pauses payouts when another program uses its key, loses nothing, and pays once after an admin resumes (F6)", async () => {
    const from = await operator();
    await loseNonceTo(() => ({ to: from, value: "0x1" }));
    expect(await pauseReason()).to.match(/^Another program used the operator's key for nonce \d+$/);
    expect((await system.run("scripts/payouts.ts", ["--resume"])).code).to.equal(0);
    await system.settled();
  });

  it("sends nothing when a call of its own that it has lost takes the nonce, and mints and pays once after that", async () => {
    const id = await loseNonceTo((mint) => mint);
    expect(await pauseReason()).to.match(
      /^The chain has mintBatch by the operator's key \(nonce \d+\), which the database/,
    );
    const restored = await system.run("scripts/restored.ts");
    expect(restored.code, restored.output).to.equal(0);
    expect(restored.output).to.match(/does not know nonce \d+ of the operator's key: mintBatch/);
    expect((await system.run("scripts/payouts.ts", ["--resume"])).code).to.equal(0);
    await system.settled();
    const { mintsOf, paymentsOf } = await system.ledger();
    expect([mintsOf(id).length, paymentsOf(id).length]).to.deep.equal([1, 1]);
  });
});

/** Init code that emits one event and deploys nothing. */
function emit(topics: readonly Hex[], data: Hex): Hex {
  const stores = Array.from({ length: size(data) / 32 }, (_, index) =>
    concatHex(["0x7f", slice(data, index * 32, index * 32 + 32), "0x61", numberToHex(index * 32, { size: 2 }), "0x52"]),
  );
  const pushes = [...topics].reverse().map((topic) => concatHex(["0x7f", pad(topic)]));
  const log = numberToHex(0xa0 + topics.length, { size: 1 });
  return concatHex([...stores, ...pushes, "0x61", numberToHex(size(data), { size: 2 }), "0x6000", log, "0x00"]);
}
