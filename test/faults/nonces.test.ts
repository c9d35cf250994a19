import { expect } from "chai";
import { connect, type Database } from "../../core/database/connect.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";
import { onBothSystems } from "./support/on-both-systems.ts";
import { patiently } from "./support/patiently.ts";

const NO_BLOCKS_MS = 0;
const SPIKE_TIMES = 4n;

/** Every stored transaction with its hashes, oldest first. */
async function readTransactions({ kysely }: Database) {
  const rows = await kysely.selectFrom("transactions").selectAll().orderBy("nonce").execute();
  const hashes = await kysely.selectFrom("transaction_hashes").selectAll().orderBy("created_at").execute();
  return rows.map((row) => ({ ...row, hashes: hashes.filter((hash) => hash.transaction_id === row.id) }));
}

describe("A kill at a given step (F2) @deep", () => {
  onBothSystems({}, (system) => {
    for (const { name, method, moment } of [
      { name: "before a nonce is reserved", method: "eth_call", moment: "after" },
      { name: "between reserving and sending", method: "eth_sendRawTransaction", moment: "before" },
      { name: "between sending and the response", method: "eth_sendRawTransaction", moment: "after" },
    ] as const) {
      it(`leaves no gap and sends the same bytes: ${name} (F2)`, async () => {
        const { proxy, api, settled, shopper, databaseUrl, ledger } = system();
        const buyer = await shopper();
        await settled();
        const database = await connect(databaseUrl);
        try {
          const before = (await readTransactions(database)).length;
          let struck: Awaited<ReturnType<typeof readTransactions>> | undefined;
          proxy.at(method, moment, async () => {
            await api.kill();
            struck = await readTransactions(database);
          });
          // The process may be killed before it has answered.
          const id = await patiently(() => buyer.buy(1, 50));
          const left = await until("it was killed", () => struck?.slice(before));
          expect(left.map((one) => one.hashes.length)).to.deep.equal(method === "eth_call" ? [] : [1]);
          await settled();
          const after = (await readTransactions(database)).slice(before);
          for (const [index, one] of left.entries()) {
            expect(after[index]?.nonce).to.equal(one.nonce);
            expect(after[index]?.mined_hash).to.equal(one.hashes[0]?.hash);
          }
          const nonces = (await readTransactions(database)).map((one) => Number(one.nonce));
          const first = nonces[0] ?? 0;
          expect(nonces, "no gap, none twice").to.deep.equal(nonces.map((_nonce, index) => first + index));
          expect((await ledger()).mintsOf(id)).to.have.length(1);
        } finally {
          await database.close();
        }
      });
    }
  });
});

describe("A fee spike (F8) @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  let database: Database;
  before(async () => {
    system = await startFaultSystem({ environment: { FEE_BUMP_AFTER_MS: "1000", CONFIRMATIONS: "1" } });
    database = await connect(system.databaseUrl);
  });
  after(async () => {
    await database?.close();
    await system?.stop();
  });

  const mine = () => system.anvil.request("anvil_mine", "0x1");
  const setBaseFee = (wei: bigint) => system.anvil.request("anvil_setNextBlockBaseFeePerGas", `0x${wei.toString(16)}`);
  const baseFee = async () =>
    BigInt(
      (await system.anvil.request<{ baseFeePerGas: string }>("eth_getBlockByNumber", "latest", false)).baseFeePerGas,
    );
  const stopBlocks = async () => {
    await system.anvil.request("evm_setAutomine", false);
    await system.anvil.request("evm_setIntervalMining", NO_BLOCKS_MS);
  };
  const resumeBlocks = async () => {
    await system.anvil.request("evm_setAutomine", true);
    await system.anvil.request("evm_setIntervalMining", 1);
  };
  const lastTransaction = async () => (await readTransactions(database)).at(-1);
  type Stored = NonNullable<Awaited<ReturnType<typeof lastTransaction>>>;
  /** Buys while no blocks are mined, and waits until the mint's transaction meets a condition. */
  const buyUnmined = async (what: string, isWanted: (transaction: Stored) => boolean) => {
    const buyer = await system.shopper();
    await system.settled();
    await stopBlocks();
    const before = (await readTransactions(database)).length;
    const id = await buyer.buy(1, 40);
    const transaction = await until(what, async () => {
      const rows = await readTransactions(database);
      const last = rows.at(-1);
      return rows.length > before && last !== undefined && isWanted(last) && last;
    });
    return { id, transaction };
  };

  it("raises the fee under the same nonce, keeps every hash, and records what was mined once (F8)", async () => {
    const { id, transaction: stuck } = await buyUnmined("the mint is signed", () => true);
    const fee = stuck.hashes[0]?.max_fee_wei ?? 0n;
    await setBaseFee(fee * SPIKE_TIMES);
    await mine();
    expect(await baseFee()).to.equal(fee * SPIKE_TIMES);
    expect((await lastTransaction())?.status, "a transaction below the base fee is not mined").to.equal("signed");

    const raised = await until("its fee is above the spike", async () => {
      const last = await lastTransaction();
      return (last?.hashes.at(-1)?.max_fee_wei ?? 0n) > fee * SPIKE_TIMES && last;
    });
    expect(raised.id).to.equal(stuck.id);
    expect(raised.nonce).to.equal(stuck.nonce);
    expect(raised.hashes[0]?.hash).to.equal(stuck.hashes[0]?.hash);
    await resumeBlocks();
    await system.settled();
    const [record] = (await readTransactions(database)).filter((one) => one.id === stuck.id);
    expect(record?.mined_hash).to.be.oneOf(record?.hashes.map((one) => one.hash) ?? []);
    expect((await system.ledger()).mintsOf(id)).to.have.length(1);
  });

  it("records the first transaction as mined, although a replacement was sent after it (F8)", async () => {
    const { id, transaction: bumped } = await buyUnmined("it was replaced", ({ hashes }) => hashes.length > 1);
    // A miner's pool never received the second: the first is mined.
    await system.api.stop("SIGKILL");
    await system.anvil.request("anvil_dropAllTransactions");
    await system.anvil.request("eth_sendRawTransaction", bumped.hashes[0]?.raw);
    await mine();
    system.api.start();
    await resumeBlocks();
    await system.settled();
    const [record, ...others] = (await readTransactions(database)).filter((one) => one.nonce === bumped.nonce);
    expect(others).to.deep.equal([]);
    expect(record?.mined_hash).to.equal(bumped.hashes[0]?.hash);
    expect(record?.hashes.map((one) => one.hash)).to.include.members(bumped.hashes.map((one) => one.hash));
    expect((await system.ledger()).mintsOf(id)).to.have.length(1);
  });

  it("continues when a node calls the replacement underpriced (F8)", async () => {
    const { id, transaction: sent } = await buyUnmined("it is sent", ({ hashes }) => hashes[0]?.sent_at != null);
    // The pool has a transaction with a far higher fee for this nonce: the same call by the same key, signed elsewhere.
    const from = (await system.anvil.request<string[]>("eth_accounts"))[0];
    const dear = `0x${((sent.hashes[0]?.max_fee_wei ?? 0n) * 100n).toString(16)}`;
    await system.anvil.request("anvil_dropAllTransactions");
    const rival = await system.anvil.request<string>("eth_sendTransaction", {
      from,
      to: sent.to_address,
      data: sent.data,
      nonce: `0x${sent.nonce.toString(16)}`,
      gas: `0x${sent.gas_limit.toString(16)}`,
      maxFeePerGas: dear,
      maxPriorityFeePerGas: dear,
    });
    await until("it tried to replace it", async () => ((await lastTransaction())?.hashes.length ?? 0) > 2);
    const pooled = await system.anvil.request<{ hash: string } | null>("eth_getTransactionByHash", rival);
    expect(pooled?.hash, "the one with the higher fee is still in the pool").to.equal(rival);
    await system.anvil.request("anvil_dropTransaction", rival);
    await until("ours is in the pool again", async () => {
      const { pending } = await system.anvil.request<{ pending: string }>("txpool_status");
      return Number(pending) > 0;
    });
    await resumeBlocks();
    await system.settled();
    expect((await system.ledger()).mintsOf(id)).to.have.length(1);
  });
});
