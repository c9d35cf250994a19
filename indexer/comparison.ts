import type { ContractEvent } from "../core/chain/contract-events.ts";
import type { Database } from "../core/database/connect.ts";
import type { BlockId } from "../core/process/rpc/node-proof.ts";
import type { Bloom, ChainNode } from "./chain-node.ts";
import { decodeEvents, type RpcLog } from "./events.ts";
import { storedForm } from "./store/chain-index.ts";

export type Difference = {
  blockNumber: number;
  logIndex: number;
  /** The event in the index; undefined if it is missing there. */
  indexed: string | undefined;
  /** The event on the chain; undefined if it is missing there. */
  onChain: string | undefined;
};

export type Comparison = { differences: Difference[]; logs: number };

export type ComparisonParameters = {
  database: Database;
  node: ChainNode;
  bloom: Bloom;
  /** A block that proves the node is on our chain; events of another chain are not differences. */
  witness: BlockId | undefined;
  from: number;
  to: number;
};

/**
 * Compares the indexed events of a range with the chain's. Checks each difference again, block by block, against the
 * block's bloom: a node that omits a log from one response causes no false difference.
 */
export async function compareRange({
  database,
  node,
  bloom,
  witness,
  from,
  to,
}: ComparisonParameters): Promise<Comparison> {
  const logs = await node.logs(from, to);
  const indexed = await readIndexed(database, from, to);
  const suspects = new Set(differences(indexed, describeLogs(node, logs)).map(({ blockNumber }) => blockNumber));
  const confirmed: Difference[] = [];
  for (const number of suspects) {
    const block = await node.witnessedBlock(number, witness);
    const exact = describeLogs(node, await node.exactLogsOf(block, bloom));
    // Reread too: a running indexer may have rolled back and rewritten this block in the meantime.
    confirmed.push(...differences(await readIndexed(database, number, number), exact));
  }
  return { differences: confirmed, logs: logs.length };
}

type Event = { blockNumber: number; logIndex: number; text: string; rate: bigint | null };
type Described = Map<string, Event>;

function describeLogs({ firstTickets }: ChainNode, logs: readonly RpcLog[]): Described {
  const described: Described = new Map();
  const { events, contractEvents } = decodeEvents(logs, firstTickets);
  for (const event of events) {
    const { blockNumber, logIndex, transactionHash, kind, tokenId } = event;
    const { storedArguments, weiPerCent } = storedForm(event);
    const text = `${kind} of ${tokenId} ${storedArguments} in ${transactionHash}`;
    described.set(`${blockNumber}/${logIndex}`, { blockNumber, logIndex, text, rate: weiPerCent });
  }
  for (const { blockNumber, logIndex, ...said } of contractEvents) {
    const text = saidText({ ...said, arguments: JSON.stringify(said.arguments) });
    described.set(`${blockNumber}/${logIndex}`, { blockNumber, logIndex, text, rate: null });
  }
  return described;
}

type Said = Pick<ContractEvent, "contract" | "event" | "transactionHash"> & { arguments: string };

const saidText = (said: Said) => `${said.event} of ${said.contract} ${said.arguments} in ${said.transactionHash}`;

async function readIndexed({ kysely }: Database, from: number, to: number): Promise<Described> {
  const rows = await kysely
    .selectFrom("chain_events")
    .selectAll()
    .where("block_number", ">=", BigInt(from))
    .where("block_number", "<=", BigInt(to))
    .orderBy("block_number")
    .orderBy("log_index")
    .execute();
  const said = await kysely
    .selectFrom("contract_events")
    .selectAll()
    .where("block_number", ">=", BigInt(from))
    .where("block_number", "<=", BigInt(to))
    .execute();
  return new Map([
    ...rows.map((row): [string, Event] => [
      `${row.block_number}/${row.log_index}`,
      {
        blockNumber: Number(row.block_number),
        logIndex: Number(row.log_index),
        text: `${row.kind} of ${row.token_id} ${row.arguments} in ${row.transaction_hash}`,
        rate: row.wei_per_cent,
      },
    ]),
    ...said.map((row): [string, Event] => [
      `${row.block_number}/${row.log_index}`,
      {
        blockNumber: Number(row.block_number),
        logIndex: Number(row.log_index),
        text: saidText({ ...row, transactionHash: row.transaction_hash }),
        rate: null,
      },
    ]),
  ]);
}

function differences(indexed: Described, onChain: Described): Difference[] {
  const found: Difference[] = [];
  const atRate = (text: string, rate: bigint | null) => (rate === null ? text : `${text} at ${rate}`);
  for (const [key, { blockNumber, logIndex, text, rate }] of onChain) {
    const known = indexed.get(key);
    // A payment that 1.0.0 read has no rate.
    const isSame = known?.text === text && (known.rate === null || known.rate === rate);
    if (isSame) continue;
    const said = known && atRate(known.text, known.rate);
    found.push({ blockNumber, logIndex, indexed: said, onChain: atRate(text, rate) });
  }
  for (const [key, { blockNumber, logIndex, text }] of indexed) {
    if (!onChain.has(key)) found.push({ blockNumber, logIndex, indexed: text, onChain: undefined });
  }
  return found.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}
