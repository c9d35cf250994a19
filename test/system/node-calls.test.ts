import { readFileSync } from "node:fs";
import { expect } from "chai";
import { LANES, type Lane } from "../../core/process/rpc/call-budget.ts";
import { until } from "../testing/until.ts";
import { type SpicySystem, startSpicySystem } from "./support/spicy-system.ts";

/** An idle minute. */
const BLOCKS = 20;
/** After the start, whose calls are not those of an idle system. */
const START_BLOCKS = 8;
/** With confirmations as on Spicy, and on a busy machine. */
const PAID_MS = 600_000;

describe("Calls to a node on Spicy @release", function () {
  this.timeout(1_200_000);
  let system: SpicySystem | undefined;
  afterEach(async function () {
    if (this.currentTest?.state === "failed" && system) {
      process.stderr.write(`${system.api.output().slice(-3_000)}\n${system.indexer.output().slice(-3_000)}\n`);
    }
    await system?.stop();
    system = undefined;
  });

  const passed = async ({ head }: SpicySystem, blocks: number) => {
    const end = (await head()) + blocks;
    await until(`${blocks} blocks have passed`, async () => (await head()) >= end, 600_000);
  };

  it("are at most 1.5 a second of the whole system while nothing happens", async () => {
    system = await startSpicySystem();
    await passed(system, START_BLOCKS);
    const before = system.node.answered.length;
    const kindsBefore = await countsByKind(system);
    const from = await system.head();
    await passed(system, BLOCKS);
    const kinds = await countsByKind(system);
    const blocks = (await system.head()) - from;
    const calls = system.node.answered.slice(before);
    const byMethod = Object.entries(Object.groupBy(calls, ({ method }) => method));
    const told = byMethod.map(([method, some]) => `${method} ${some?.length}`).join(", ");
    expect(calls.length / blocks, `calls a block (${told})`).to.be.at.most(documented("all"));
    for (const kind of LANES) {
      const count = kinds[kind] - kindsBefore[kind];
      expect(count / blocks, `${kind}: calls a block (${told})`).to.be.at.most(documented(`\`${kind}\``));
    }
  });

  for (const refusal of ["429", "each call"] as const) {
    it(`are few enough for a provider that allows five a second: a purchase is minted, confirmed and paid (${refusal})`, async () => {
      system = await startSpicySystem({ aSecond: { most: 5, refusal } });
      const buyer = await system.shopper();
      const id = await registered(buyer);
      await until("it is paid", async () => isPaid(await buyer.me(), id), PAID_MS);
    });
  }

  it("are single ones to a node that takes no batches: a purchase is minted, confirmed and paid", async () => {
    system = await startSpicySystem({ batches: { most: 0, refusal: "error object" } });
    const buyer = await system.shopper();
    const id = await registered(buyer);
    await until("it is paid", async () => isPaid(await buyer.me(), id), PAID_MS);
    expect(system.node.largest).to.equal(1);
  });
});

/** Until the index is complete, and within the node's calls. */
function registered(buyer: Awaited<ReturnType<SpicySystem["shopper"]>>): Promise<number> {
  return until("a purchase is registered", () => buyer.buy(1, 100).catch(() => undefined), 120_000);
}

/** The idle calls a block of a row of the table in docs/operations.md#node-calls. */
function documented(kind: string): number {
  const rows = readFileSync("docs/operations.md", "utf8").split("\n");
  const cells = rows.find((row) => row.startsWith(`| ${kind} |`))?.split("|");
  return Number(cells?.[3]);
}

/** As both processes tell them. */
async function countsByKind({ url, indexer }: SpicySystem): Promise<Record<Lane, number>> {
  const texts = await Promise.all([url, indexer.url].map(async (one) => (await fetch(`${one}/metrics`)).text()));
  const counts = { send: 0, follow: 0, read: 0, check: 0 };
  for (const [, kind = "", count] of texts
    .join("\n")
    .matchAll(/^torcida_node_calls_total\{.*kind="(\w+)"\} (\d+)$/gm)) {
    counts[kind as Lane] += Number(count);
  }
  return counts;
}

type Me = Awaited<ReturnType<Awaited<ReturnType<SpicySystem["shopper"]>>["me"]>>;

function isPaid({ purchases }: Me, id: number): boolean {
  return purchases.find((one) => one.id === id)?.cashback_state === "paid";
}
