import { type Hex, parseAbiItem } from "viem";
import { parseDecimal } from "../../domain/money.ts";
import { CHZ_DECIMALS, WEI_PER_GWEI } from "../../domain/product.ts";
import { call } from "../api/http.ts";
import { deployment } from "../app/deployment.ts";
import { chainClient, contracts, owedWei, readPayments } from "../ticket/read-chain.ts";

export type ProvenPurchase = {
  id: bigint;
  valueCents: bigint;
  totalBps: bigint;
  /** Undefined until it is paid. */
  weiPerCent: bigint | undefined;
  paidWei: bigint | undefined;
  isExact: boolean;
  /** Whether the api agrees; undefined if it did not respond. */
  agrees: boolean | undefined;
};
export type WalletProof = { purchases: ProvenPurchase[]; paidWei: bigint; matches: boolean };

const transfer = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)");
const paid = parseAbiItem("event CashbackPaid(uint256 indexed purchaseId, address indexed recipient, uint256 amount)");

/** The range that public nodes accept in one call. */
const RANGE = 5_000n;
const CANCELLED = 3;

type Options = { signal: AbortSignal; onProgress: (done: number) => void };

/** Reads a wallet's tickets and payments from the chain and does the sums again. */
export async function readWallet(wallet: Hex, { signal, onProgress }: Options): Promise<WalletProof> {
  const { nft, distributor } = contracts();
  const client = chainClient();
  const head = await client.getBlockNumber();
  const start = BigInt(deployment.start_block);
  const ids = new Set<bigint>();
  const payments = new Map<bigint, { tx: Hex; paidWei: bigint }>();
  for (let from = start; from <= head; from += RANGE) {
    signal.throwIfAborted();
    const range = { fromBlock: from, toBlock: from + RANGE - 1n < head ? from + RANGE - 1n : head };
    const [received, paidLogs] = await Promise.all([
      client.getLogs({ address: nft.address, event: transfer, args: { to: wallet }, ...range }),
      client.getLogs({ address: distributor.address, event: paid, args: { recipient: wallet }, ...range }),
    ]);
    for (const log of received) if (log.args.tokenId !== undefined) ids.add(log.args.tokenId);
    for (const { args, transactionHash } of paidLogs) {
      if (args.purchaseId !== undefined && args.amount !== undefined)
        payments.set(args.purchaseId, { tx: transactionHash, paidWei: args.amount });
    }
    onProgress(Number(range.toBlock - start + 1n) / Number(head - start + 1n));
  }
  const purchases: ProvenPurchase[] = [];
  const rates = await readPayments([...new Set([...payments.values()].map(({ tx }) => tx))]);
  for (const id of [...ids].sort((a, b) => (a < b ? 1 : -1))) {
    signal.throwIfAborted();
    const record = await client.readContract({ ...nft, functionName: "purchaseOf", args: [id] });
    if (record.status === CANCELLED) continue;
    const payment = payments.get(id);
    const ticket = {
      valueCents: BigInt(record.valueCents),
      totalBps: BigInt(record.cashbackBps) + BigInt(record.bonusBps),
    };
    const weiPerCent = payment && rates.get(`${payment.tx}:${id}`);
    const whole = weiPerCent === undefined ? undefined : owedWei(ticket, weiPerCent);
    purchases.push({
      id,
      ...ticket,
      weiPerCent,
      paidWei: payment?.paidWei,
      // Less than the product was kept back; more is always wrong.
      isExact: payment === undefined || (whole !== undefined && payment.paidWei <= whole),
      agrees: await apiAgrees(id, payment?.paidWei),
    });
  }
  return {
    purchases,
    paidWei: purchases.reduce((sum, one) => sum + (one.paidWei ?? 0n), 0n),
    matches: purchases.every((one) => one.isExact),
  };
}

/** The api's own words on a ticket, side by side with the chain's. */
async function apiAgrees(id: bigint, paidWei: bigint | undefined): Promise<boolean | undefined> {
  try {
    const { data } = await call<{ data: { paid: { amount: string } | null } }>("GET", `/api/nfts/${id}`);
    const said = data.paid ? parseDecimal(data.paid.amount, CHZ_DECIMALS) : undefined;
    // The api keeps payments to the gwei.
    return (
      said === paidWei || (said !== undefined && paidWei !== undefined && said === paidWei - (paidWei % WEI_PER_GWEI))
    );
  } catch {
    return undefined;
  }
}

export async function readBooks(): Promise<{ balanceWei: bigint; availableWei: bigint }> {
  const { distributor } = contracts();
  const [balanceWei, availableWei] = await Promise.all([
    chainClient().getBalance({ address: distributor.address }),
    chainClient().readContract({ ...distributor, functionName: "available" }),
  ]);
  return { balanceWei, availableWei };
}
