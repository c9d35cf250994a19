import { expect } from "chai";
import { toFunctionSelector } from "viem";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { openLog } from "../../core/process/log.ts";
import { type OpenChain, openChain } from "../../core/process/rpc/chain-client.ts";
import { DatabaseChainMemory } from "../../core/process/rpc/node-proof.ts";
import { keySigner } from "../../core/process/signer.ts";
import { openAccount } from "../../core/sender/account.ts";
import { acceptNonces, explainNonces, listForeign, listLost } from "../../core/sender/foreign-transactions.ts";
import { HeadReader } from "../../core/sender/head-reader.ts";
import { endRecovery, PayoutSwitch, readRecovery } from "../../core/sender/payout-switch.ts";
import { updateTransaction } from "../../core/sender/receipts.ts";
import { insertTransaction } from "../../core/sender/transactions.ts";
import { type Reply, type RpcCall, type ScriptedNode, startScriptedNode } from "../indexer/support/scripted-node.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onBothEngines } from "../testing/databases.ts";
import { CASHBACK_DISTRIBUTOR, PURCHASE_NFT, placeEmitters } from "../testing/event-chain.ts";
import { standIn } from "../testing/stand-in.ts";
import { until } from "../testing/until.ts";

/** anvil's first well-known account. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const account = openAccount(keySigner(KEY));
const wallet = account.address;
const USED = 5n;
const CONTRACTS = { purchaseNft: PURCHASE_NFT, cashbackDistributor: CASHBACK_DISTRIBUTOR } as const;
/** Any arguments: only the selector says what it is. It fails on chain, and has its nonce nevertheless. */
const callOf = (signature: string) => toFunctionSelector(signature);
const MINT = callOf("mintBatch((uint64,uint40,address,uint256,uint16,uint16,uint16)[],string[])");

describe("The head that the sender signs by", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let before: bigint;
  const nodes: ScriptedNode[] = [];

  beforeEach(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    await placeEmitters(anvil);
    before = BigInt(await anvil.request<string>("eth_getTransactionCount", wallet, "latest"));
    for (let count = 0n; count < USED; count++) await spend();
    await anvil.request("anvil_mine", "0x20");
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
    await anvil.stop();
  });

  const spend = async (call: { to: string; data?: string } = { to: wallet }) => {
    const transaction = { from: wallet, value: "0x1", gas: "0x186a0", ...call };
    const hash = await anvil.request<string>("eth_sendTransaction", transaction);
    return until("it is in a block", () =>
      anvil.request<{ blockNumber: string; blockHash: string } | null>("eth_getTransactionReceipt", hash),
    );
  };
  /** A proxy of anvil that a script can override. */
  const script = async (reply: (call: RpcCall) => Reply | Promise<Reply>) => {
    const node = await startScriptedNode(anvil.rpcUrl, reply);
    nodes.push(node);
    return node;
  };
  const nonceOf = (nonce: bigint) => (call: RpcCall) =>
    call.method === "eth_getTransactionCount" ? { result: `0x${nonce.toString(16)}` } : undefined;
  const readerOf = async (database: Database, ...urls: string[]): Promise<OpenChain & { reader: HeadReader }> => {
    const chain = await openChain({
      network: "localhost",
      urls,
      chainId: 88_882,
      contract: PURCHASE_NFT,
      log: openLog("silent"),
      memory: new DatabaseChainMemory(88_882, { database }),
    });
    const log = openLog("silent");
    const options = { client: chain.client, database, account, contracts: CONTRACTS, key: "operator" as const, log };
    const write = <T>(work: (queries: Queries) => Promise<T>) => inTransaction(database.kysely, work);
    return { ...chain, reader: new HeadReader(standIn({ options, wallet, write })) };
  };
  const store = (database: Database, nonce: bigint) =>
    insertTransaction(database.kysely, {
      sender: wallet,
      nonce,
      to: wallet,
      data: "0x",
      gasLimit: 21_000n,
      fencingToken: 1n,
      operations: [],
      signed: { hash: `0x${nonce}`, raw: "0x", maxFeeWei: 1n, maxPriorityFeeWei: 1n },
    });
  const refusalOf = (reader: HeadReader) =>
    reader.read().then(
      () => expect.fail("The head was believed"),
      (error: Error) => error,
    );

  onBothEngines(({ open }) => {
    it("has the nonce and the balance at its own block, for a key that was used before", async () => {
      const { database } = await open();
      const { reader } = await readerOf(database, anvil.rpcUrl);
      const head = await reader.read();
      expect(head.nonce).to.equal(before + USED);
      expect(head.number).to.equal(BigInt(await anvil.request<string>("eth_blockNumber")));
      expect(head.balanceWei).to.equal(BigInt(await anvil.request<string>("eth_getBalance", wallet, "latest")));
    });

    it("never has a nonce that no transaction explains: the node is dropped and the next one asked (F37)", async () => {
      const { database } = await open();
      await store(database, before + USED - 1n);
      const liar = await script(nonceOf(5_000n));
      const { reader, nodes } = await readerOf(database, liar.url, anvil.rpcUrl);
      expect((await reader.read()).nonce).to.equal(before + USED);
      expect(nodes.contradictions).to.deep.equal([{ rpc: liar.url, kind: "nonce", count: 1 }]);
      const alone = await readerOf(database, liar.url);
      await refusalOf(alone.reader);
      expect(alone.nodes.isReady).to.equal(false);
    });

    it("has the nonce of another program, whose transactions are on the chain", async () => {
      const { database } = await open();
      await store(database, before);
      const { reader, nodes } = await readerOf(database, anvil.rpcUrl);
      expect((await reader.read()).nonce).to.equal(before + USED);
      expect(nodes.contradictions).to.deep.equal([]);
    });

    it("finds that program's transaction if the node no longer has old state", async () => {
      const { database } = await open();
      await store(database, before);
      const head = await anvil.request<string>("eth_blockNumber");
      const pruned = await script((call) =>
        call.method === "eth_getTransactionCount" && ![head, "latest"].includes(String(call.params[1]))
          ? { error: { code: -32_000, message: "missing trie node 0123" } }
          : undefined,
      );
      const { reader, nodes } = await readerOf(database, pruned.url);
      expect((await reader.read()).nonce).to.equal(before + USED);
      expect(nodes.contradictions).to.deep.equal([]);
    });

    describe("finds that the database is behind the chain", () => {
      const key = { name: "operator", address: wallet } as const;
      const noted = async (database: Database) => {
        const { reader } = await readerOf(database, anvil.rpcUrl);
        await reader.read();
        return readRecovery(database.kysely);
      };

      it("by a step of a purchase that it does not know, below transfers to others (F56)", async () => {
        const { database } = await open();
        await store(database, before + USED - 1n);
        await spend();
        expect(await noted(database), "a transfer").to.equal(undefined);
        await spend({ to: PURCHASE_NFT, data: MINT });
        await spend();
        const nonce = Number(before + USED + 1n);
        expect(await noted(database)).to.deep.equal({ code: "chain_ahead", key: "operator", nonce, call: "mintBatch" });
        expect(await new PayoutSwitch(database, false).reason()).to.include("npm run restored");
      });

      it("not by a call that people make, nor by one of another contract", async () => {
        const { database } = await open();
        await store(database, before + USED - 1n);
        await spend({ to: PURCHASE_NFT, data: callOf("setSiteUrl(string)") });
        await spend({ to: wallet, data: MINT });
        expect(await noted(database)).to.equal(undefined);
      });

      it("also if it has never used the key, unless an operator has looked", async () => {
        const { database } = await open();
        await spend({ to: PURCHASE_NFT, data: MINT });
        expect(await noted(database)).to.include({ code: "chain_ahead" });
        await endRecovery(database.kysely);
        expect(await noted(database)).to.equal(undefined);
      });

      it("once: what an operator has accepted is known, whatever process looks", async () => {
        const { database } = await open();
        const id = await store(database, before + USED - 1n);
        await updateTransaction(database.kysely, id, { status: "confirmed" });
        await spend({ to: PURCHASE_NFT, data: MINT });
        const { client } = await readerOf(database, anvil.rpcUrl);
        await noted(database);
        await explainNonces({ database, client, contracts: CONTRACTS, key });
        expect((await listLost(database.kysely, [key])).map(({ call }) => call)).to.deep.equal(["mintBatch"]);
        expect(await listForeign(database.kysely, [key])).to.deep.equal([]);
        await endRecovery(database.kysely);
        expect(await noted(database), "not accepted").to.include({ code: "chain_ahead" });
        await acceptNonces(database.kysely, key, "lost");
        await endRecovery(database.kysely);
        expect(await noted(database)).to.equal(undefined);
      });

      it("by more unknown transactions than are looked at", async () => {
        const { database } = await open();
        await store(database, before + USED - 1n);
        for (let count = 0; count < 27; count++) await spend();
        expect(await noted(database)).to.include({ call: "more than 25 transactions" });
      });
    });

    it("never goes back below a transaction that is in one of the node's own blocks", async () => {
      const { database } = await open();
      const { blockNumber, blockHash } = await spend();
      const id = await store(database, before + USED);
      await updateTransaction(database.kysely, id, {
        status: "mined",
        succeeded: 1n,
        mined_hash: "0x1",
        block_number: BigInt(blockNumber),
        block_hash: blockHash,
      });
      const liar = await script(nonceOf(before + 1n));
      const { reader, nodes } = await readerOf(database, liar.url, anvil.rpcUrl);
      expect((await reader.read()).nonce).to.equal(before + USED + 1n);
      expect(nodes.contradictions).to.deep.equal([{ rpc: liar.url, kind: "nonce", count: 1 }]);
    });

    it("goes back if that block was orphaned", async () => {
      const { database } = await open();
      const { blockNumber } = await spend();
      const id = await store(database, before + USED);
      await updateTransaction(database.kysely, id, {
        status: "mined",
        succeeded: 1n,
        mined_hash: "0x1",
        block_number: BigInt(blockNumber),
        block_hash: `0x${"ab".repeat(32)}`,
      });
      const lower = await script(nonceOf(before + USED));
      const { reader } = await readerOf(database, lower.url);
      expect((await reader.read()).nonce).to.equal(before + USED);
    });

    it("is not that of a node far behind the index", async () => {
      const { database } = await open();
      const head = Number(await anvil.request<string>("eth_blockNumber"));
      await database.kysely
        .insertInto("chain_cursor")
        .values({ id: 1n, block_number: BigInt(head), block_hash: "0xabc" })
        .execute();
      const old = `0x${(head - 20).toString(16)}`;
      const behind = await script(async (call) =>
        call.method === "eth_getBlockByNumber" && call.params[0] === "latest"
          ? { result: await anvil.request("eth_getBlockByNumber", old, false) }
          : undefined,
      );
      const { reader } = await readerOf(database, behind.url, anvil.rpcUrl);
      expect((await reader.read()).number).to.equal(BigInt(head));
      const alone = await readerOf(database, behind.url);
      expect((await refusalOf(alone.reader)).message).to.match(/at block \d+, the index at/);
    });
  });
});
