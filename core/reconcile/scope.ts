import { z } from "zod";
import { ticketContractsOf } from "../chain/deployment.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import { DAY_SECONDS } from "../rules/iso-time.ts";
import { IDS_PER_CALL } from "./compare-tokens.ts";
import { highestIds } from "./ledger.ts";
import type { ReconcileOptions } from "./reconcile.ts";

/** The scope of one comparison: what changed since the last one, and a slice of the rest. */
export type Scope = {
  pages: readonly (readonly bigint[])[];
  /** Call it after the comparison: the next one continues from here. */
  remember(): Promise<void>;
};

/** Small shops are compared completely each time. */
const LEAST_SLICE = 2_000;
/** Changes beyond these wait for the next comparison. */
const MOST_CHANGED = 20_000;
/** Blocks that may still have been reorganised are compared again. */
const REORG_BLOCKS = 64n;
/** Page size; the paid bits of neighbouring ids in a page are read with one call. */
const PAGE = 20_000;
const DEFAULT_CALLS = 60;
/** Calls per comparison for everything except tokens and paid bits. */
const OTHER_CALLS = 14;

const progressSchema = z.object({ contract: z.string(), block: z.coerce.bigint(), next: z.coerce.bigint() });

/** Sizes the slice so that, at one comparison every `intervalSeconds`, everything is compared once a day. */
export async function nextScope(options: ReconcileOptions, block: bigint, intervalSeconds: number): Promise<Scope> {
  const { kysely } = options.database;
  const contract = options.contracts.purchaseNft;
  const stored = progressSchema.safeParse(JSON.parse((await readSetting(kysely, "reconciled")) ?? "null")).data;
  const progress = stored?.contract === contract ? stored : { contract, block: -1n, next: 1n };
  const most = idsFor(options.calls ?? DEFAULT_CALLS, ticketContractsOf(options.contracts).length);
  const changed = await listChanged(options, progress.block, block, Math.min(MOST_CHANGED, most));
  const highest = await highestId(options);
  const runsADay = Math.max(1, Math.floor(DAY_SECONDS / intervalSeconds));
  const wanted = Math.max(LEAST_SLICE, Math.ceil(Number(highest) / runsADay));
  const size = Math.min(wanted, Math.max(IDS_PER_CALL, most - changed.ids.length));
  const slice = sliceOf(progress.next, size, highest);
  const last = slice.at(-1) ?? 0n;
  const ids = [...new Set([...slice, ...changed.ids])].sort((one, other) => (one < other ? -1 : 1));
  const next = last >= highest ? 1n : last + 1n;
  return {
    pages: Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, index) =>
      ids.slice(index * PAGE, (index + 1) * PAGE),
    ),
    remember: () =>
      writeSetting(
        kysely,
        "reconciled",
        JSON.stringify({ contract, block: changed.upTo.toString(), next: next.toString() }),
      ),
  };
}

/**
 * The number of ids that fit into a number of calls: a page takes one call per part and tickets' contract, and one for
 * its paid bits.
 */
function idsFor(calls: number, contracts: number): number {
  const idsACall = PAGE / ((PAGE / IDS_PER_CALL) * contracts + 1);
  return Math.max(IDS_PER_CALL, Math.floor((calls - OTHER_CALLS) * idsACall));
}

/** Every id that a purchase, a token or a payout can have. */
export async function* everything(options: ReconcileOptions): AsyncGenerator<bigint[]> {
  const highest = await highestId(options);
  for (let first = 1n; first <= highest; first += BigInt(PAGE)) yield sliceOf(first, PAGE, highest);
}

async function highestId({ database }: ReconcileOptions): Promise<bigint> {
  const { purchase, token } = await highestIds(database.kysely);
  return purchase > token ? purchase : token;
}

function sliceOf(first: bigint, size: number, highest: bigint): bigint[] {
  const from = first > highest ? 1n : first;
  const count = Number(highest - from) + 1;
  return Array.from({ length: Math.max(0, Math.min(size, count)) }, (_, index) => from + BigInt(index));
}

/** Tokens with an event since a block; if there are too many, those of the first of these blocks. */
async function listChanged(
  { database }: ReconcileOptions,
  since: bigint,
  upTo: bigint,
  most: number,
): Promise<{ ids: bigint[]; upTo: bigint }> {
  if (since < 0n) return { ids: [], upTo };
  const rows = await database.kysely
    .selectFrom("chain_events")
    .select(["block_number", "token_id"])
    .where("block_number", ">", since - REORG_BLOCKS)
    .where("block_number", "<=", upTo)
    .orderBy("block_number")
    .orderBy("log_index")
    .limit(most)
    .execute();
  const last = rows.at(-1);
  const isCut = rows.length === most && last !== undefined;
  return {
    ids: [...new Set(rows.flatMap((row) => (row.token_id === null ? [] : [row.token_id])))],
    upTo: isCut ? last.block_number - 1n : upTo,
  };
}
