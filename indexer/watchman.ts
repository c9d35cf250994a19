import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import { COLD_KEY_EVENTS, ROLE_NAMES } from "../core/chain/contract-events.ts";
import { distributorsOf, ticketContractsOf } from "../core/chain/deployment.ts";
import { appendAudit, inAuditedTransaction } from "../core/database/audit-log.ts";
import type { Schema } from "../core/database/generated/schema.ts";
import { inTransaction } from "../core/database/transaction.ts";
import { assertLease } from "../core/process/lease.ts";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import type { BlockId } from "../core/process/rpc/node-proof.ts";
import type { WalletAddress } from "../core/rules/wallet-address.ts";
import { RangeSizer } from "./backfill.ts";
import { decodeLogs } from "./chain-node.ts";
import type { Context } from "./context.ts";

type Act = Selectable<Schema["contract_events"]> & { isNew: boolean };

const ACTS_AT_ONCE = 200;

/**
 * Tells each act of a cold key: a row in the log, and a figure by which an alert rings. What was there before it first
 * watched a contract, and what the deployment did, is told without ringing. docs/operations.md#watchman
 */
export class Watchman {
  readonly #context: Context;
  readonly #sizer = new RangeSizer();
  /** From where an index of a version that did not read these events is read for them; past every block once it was. */
  #unreadFrom: number | undefined;
  #hasBegun = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Whether it still reads what was there before, a range a look: until then, the index lacks some of it. */
  get isReading(): boolean {
    return !this.#hasBegun;
  }

  async #begin(cursor: BlockId | undefined, head: number): Promise<void> {
    this.#unreadFrom ??= await this.#mark(head);
    if (cursor && this.#unreadFrom <= cursor.number) {
      this.#unreadFrom = await this.#readFrom(this.#unreadFrom, cursor.number);
      if (this.#unreadFrom <= cursor.number) return;
    }
    const { kysely } = this.#context.database;
    await kysely.updateTable("watched_contracts").set({ is_read: 1n }).where("is_read", "=", 0n).execute();
    this.#hasBegun = true;
  }

  /** First, so that what happens while the rest is read rings, however often this is killed. Returns what is unread. */
  async #mark(head: number): Promise<number> {
    const { source, database } = this.#context;
    const { kysely } = database;
    const contracts = [...ticketContractsOf(source), ...distributorsOf(source)];
    await kysely
      .insertInto("watched_contracts")
      .values(contracts.map((contract) => ({ contract, from_block: BigInt(head + 1), is_read: 0n })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const unread = await kysely.selectFrom("watched_contracts").select("contract").where("is_read", "=", 0n).execute();
    return unread.length > 0 ? source.startBlock : Number.POSITIVE_INFINITY;
  }

  /** Reads one range, at most up to `to`. Returns from where to read on. */
  async #readFrom(from: number, to: number): Promise<number> {
    const { database, lease, nodes } = this.#context;
    const end = Math.min(to, from + this.#sizer.size - 1);
    const started = performance.now();
    try {
      const witness = await nodes.witness();
      const read = await nodes.ask(async (node) => {
        const { logs } = await node.saidInRange(from, end, witness);
        const { contractEvents } = decodeLogs(this.#context, node, logs);
        const blocks = await node.blocks([...new Set(contractEvents.map(({ blockNumber }) => blockNumber))]);
        return { contractEvents, timestamps: new Map(blocks.map(({ number, timestamp }) => [number, timestamp])) };
      });
      if (read.contractEvents.length > 0) {
        await inTransaction(database.kysely, async (transaction) => {
          await assertLease(transaction, lease);
          for (const said of read.contractEvents) {
            const { blockNumber, logIndex, transactionHash, contract, event } = said;
            const place = { block_number: BigInt(blockNumber), log_index: BigInt(logIndex), contract, event };
            const content = { token_id: said.tokenId, arguments: JSON.stringify(said.arguments) };
            const at = BigInt((read.timestamps.get(blockNumber) ?? 0) * 1_000);
            await transaction
              .insertInto("contract_events")
              .values({ ...place, ...content, transaction_hash: transactionHash, at })
              .onConflict((conflict) => conflict.doNothing())
              .execute();
          }
        });
      }
      const logs = read.contractEvents.length;
      this.#sizer.answered({ blocks: end - from + 1, logs, durationMs: performance.now() - started });
      return end + 1;
    } catch (error) {
      if (!(error instanceof RpcError) || error.failure !== "too-large" || end === from) throw error;
      this.#sizer.refused(end - from + 1, error.message);
      return from;
    }
  }

  /** Tells what is new, if anything may be; what is after `head`, the newest block of the first look, rings. */
  async look(cursor: BlockId | undefined, head: number | undefined): Promise<void> {
    if (!this.#hasBegun && head !== undefined) await this.#begin(cursor, head);
    const { database, status, signal } = this.#context;
    const { kysely } = database;
    // What was there at the first look is told together, in however many steps it is read.
    const isRead = cursor !== undefined && head !== undefined && cursor.number >= head;
    while (isRead && this.#hasBegun && status.mayHaveActs && !signal.aborted) {
      const rows = await kysely
        .selectFrom("contract_events")
        .leftJoin("watched_contracts", "watched_contracts.contract", "contract_events.contract")
        .selectAll("contract_events")
        .select("watched_contracts.from_block")
        .where("event", "in", COLD_KEY_EVENTS)
        .where(({ not, exists, selectFrom }: ExpressionBuilder<Schema, "contract_events">) =>
          not(
            exists(
              selectFrom("contract_acts")
                .select(sql.lit(1).as("one"))
                .whereRef("contract_acts.transaction_hash", "=", "contract_events.transaction_hash")
                .whereRef("contract_acts.contract", "=", "contract_events.contract")
                .whereRef("contract_acts.event", "=", "contract_events.event")
                .whereRef("contract_acts.arguments", "=", "contract_events.arguments"),
            ),
          ),
        )
        .orderBy("block_number")
        .orderBy("log_index")
        .limit(ACTS_AT_ONCE)
        .execute();
      const acts = rows.map(({ from_block, ...act }) => {
        return { ...act, isNew: from_block !== null && act.block_number >= from_block };
      });
      if (acts.length > 0) await this.#tell(acts);
      else status.mayHaveActs = false;
    }
  }

  async #tell(acts: readonly Act[]): Promise<void> {
    const { database, lease, log, source, deploymentTransactions } = this.#context;
    const own = new Set(deploymentTransactions.map((hash) => hash.toLowerCase()));
    const tickets = ticketContractsOf(source);
    const nameOf = (contract: WalletAddress) => (tickets.includes(contract) ? "PurchaseNFT" : "CashbackDistributor");
    await inAuditedTransaction(database.kysely, null, async (queries) => {
      await assertLease(queries, lease);
      const deployed = acts.filter((act) => own.has(act.transaction_hash));
      for (const act of acts) {
        const { transaction_hash, contract, event } = act;
        const standing = deployed.includes(act) ? "deployed" : act.isNew ? "rung" : "listed";
        // One that came twice in a transaction is one.
        await queries
          .insertInto("contract_acts")
          .values({
            transaction_hash,
            contract,
            event,
            arguments: act.arguments,
            standing,
            seen_at: BigInt(Date.now()),
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      if (deployed.length > 0) {
        const transactions = [...new Set(deployed.map((act) => act.transaction_hash))];
        const detail = { acts: deployed.length, block: deployed[0]?.block_number, transactions };
        await appendAudit(queries, { actor: "system", action: "chain.Deployed", subject: source.purchaseNft, detail });
      }
      for (const act of acts) {
        if (deployed.includes(act)) continue;
        const { contract, event, block_number: block, transaction_hash: transaction } = act;
        const place = { contract: nameOf(contract), block, transaction, at: act.at };
        const read: Record<string, string> = JSON.parse(act.arguments);
        const role = read.role && (ROLE_NAMES[read.role] ?? read.role);
        const detail = { ...place, rang: act.isNew, ...read, ...(role && { role }) };
        await appendAudit(queries, { actor: "system", action: `chain.${event}`, subject: contract, detail });
      }
    });
    for (const { event, contract, transaction_hash: transaction, isNew } of acts) {
      if (isNew && !own.has(transaction)) log.warn({ event, contract, transaction }, "A cold key was used");
    }
  }
}
