import Sqlite from "better-sqlite3";
import { decodeLog, type RpcLog } from "../../indexer/events.ts";
import { CASHBACK_DISTRIBUTOR, PURCHASE_NFT } from "../../test/testing/event-chain.ts";

const BLOCKS_PER_REQUEST = 500;
/** Chains with few events are read in larger ranges, so that the loop is not easy to beat. */
const REQUESTS_AT_MOST = 50;

/** The floor: fetches and decodes every log, keeps nothing. Returns the number of logs. */
export async function fetchAndDecode(rpcUrl: string, head: number): Promise<number> {
  let decoded = 0;
  for await (const logs of ranges(rpcUrl, head)) {
    for (const log of logs) if (decodeLog(log)) decoded += 1;
  }
  return decoded;
}

/** The ceiling: all logs of the two contracts in one table, one transaction per range; no folding, no checks. */
export async function bareLoop(rpcUrl: string, head: number, file: string): Promise<void> {
  const sqlite = new Sqlite(file);
  sqlite.pragma("journal_mode = WAL");
  sqlite.exec(
    "create table logs (block integer, log_index integer, tx text, address text, topics text, data text, primary key (block, log_index)) without rowid",
  );
  const insert = sqlite.prepare("insert into logs values (?, ?, ?, ?, ?, ?)");
  const write = sqlite.transaction((logs: RpcLog[]) => {
    for (const log of logs) {
      const { transactionHash, address, topics, data } = log;
      insert.run(Number(log.blockNumber), Number(log.logIndex), transactionHash, address, topics.join(","), data);
    }
  });
  for await (const logs of ranges(rpcUrl, head)) write(logs);
  sqlite.close();
}

async function* ranges(rpcUrl: string, head: number): AsyncGenerator<RpcLog[]> {
  const step = Math.max(BLOCKS_PER_REQUEST, Math.ceil(head / REQUESTS_AT_MOST));
  for (let from = 0; from <= head; from += step) {
    const filter = {
      address: [PURCHASE_NFT, CASHBACK_DISTRIBUTOR],
      fromBlock: `0x${from.toString(16)}`,
      toBlock: `0x${Math.min(head, from + step - 1).toString(16)}`,
    };
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] }),
    });
    const { result }: { result: RpcLog[] } = await response.json();
    yield result;
  }
}
