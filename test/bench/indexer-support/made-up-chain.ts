import { type Anvil, startAnvil } from "../../testing/anvil.ts";
import {
  buyerOf,
  type EventRecord,
  emit,
  mintEvents,
  paymentEvent,
  placeEmitters,
  statusEvents,
} from "../../testing/event-chain.ts";

/** The number of events in a block, and of empty blocks between blocks with events. */
export type ChainShape = { name: string; events: number; eventsPerBlock: number; blocksPerBlockWithEvents: number };

/** A node with a chain. `keptEvents` counts the kinds that the indexer keeps. */
export type MadeUpChain = { anvil: Anvil; head: number; keptEvents: number };

const BUYERS = 5_000;
const MANUAL = ["--no-mining", "--gas-limit", "1000000000", "--prune-history"];

/**
 * Starts a node with a chain of the given shape: purchases that are minted, confirmed and paid. `events` counts the
 * events that the indexer keeps, three per purchase: PurchaseMinted, StatusUpdated and CashbackPaid.
 */
export async function makeUpChain(shape: ChainShape): Promise<MadeUpChain> {
  const anvil = await startAnvil({ manualBlocks: true, extraArguments: MANUAL });
  await placeEmitters(anvil);
  let keptEvents = 0;
  const steps = purchaseSteps();
  while (keptEvents < shape.events) {
    const nft: EventRecord[] = [];
    const distributor: EventRecord[] = [];
    for (let kept = 0; kept < shape.eventsPerBlock && keptEvents < shape.events; ) {
      const step = steps.next().value;
      for (const event of step.events) (event.from === "nft" ? nft : distributor).push(event);
      kept += step.kept;
      keptEvents += step.kept;
    }
    await emit(anvil, [...nft, ...distributor]);
    await anvil.request("anvil_mine", `0x${shape.blocksPerBlockWithEvents.toString(16)}`);
  }
  const head = Number(await anvil.request<string>("eth_blockNumber"));
  return { anvil, head, keptEvents };
}

/** Mints, confirmations and payouts interleaved, each in its order. */
function* purchaseSteps(): Generator<{ events: EventRecord[]; kept: number }, never> {
  for (let id = 1n; ; id += 1n) {
    const buyer = buyerOf(Number(id % BigInt(BUYERS)));
    yield { events: mintEvents({ tokenId: id, buyer }), kept: 1 };
    yield { events: statusEvents(id), kept: 1 };
    yield { events: [paymentEvent(id, buyer, 25n * 10n ** 17n)], kept: 1 };
  }
}
