import { expect } from "chai";
import { createPublicClient, http, parseAbiItem } from "viem";
import { lookReader } from "../../core/catalogue/chain-looks.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const STORE = 1;
const SET = parseAbiItem("event StoreLookSet(uint16 indexed storeId, uint24 first, uint24 second, uint8 pattern)");
/** Seen on the stands: the contract draws both as they are. */
const COLOURS = ["#a61b1b", "#ffffff"];

/** docs/product.md#ticket-look */
describe("Tickets in the colours of their store's club, on chain @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  let database: Database;
  before(async () => {
    system = await startFaultSystem({ environment: { RATE_LIMIT_SCALE: "1000" } });
    database = await connect(system.databaseUrl);
  });
  after(async () => {
    await database?.close();
    await system?.stop();
  });

  const chain = () => createPublicClient({ transport: http(system.anvil.rpcUrl) });
  const address = () => system.deployment.purchaseNft.address;
  const lookOf = (storeId: number) => {
    const { purchaseNft, cashbackDistributor } = system.deployment;
    const contracts = { purchaseNft: purchaseNft.address, cashbackDistributor: cashbackDistributor.address };
    return lookReader(chain(), contracts)(BigInt(storeId));
  };
  const sent = async () => (await chain().getLogs({ address: address(), event: SET, fromBlock: 0n })).length;
  const looks = (...more: string[]) => system.run("scripts/catalog.ts", ["looks", ...more]);
  const queued = () =>
    database.kysely
      .selectFrom("operations")
      .select("subject_id")
      .where("kind", "=", "set_store_look")
      .where("status", "<>", "done")
      .execute();
  const untilSent = () => until("all looks are on chain", async () => (await queued()).length === 0);

  it("are sent once, also if the api is killed while it sends, and nothing is sent again", async () => {
    expect(await lookOf(STORE)).to.deep.equal({ first: 0, second: 0, pattern: 0 });
    const listed = await looks();
    expect(listed.output)
      .to.include("~ store 1, Verdão Store: none → #006437 #ffffff plain")
      .and.include("add --apply");
    expect(await queued(), "a listing queues nothing").to.deep.equal([]);
    await system.api.stop("SIGKILL");
    const applied = await looks("--apply");
    const count = Number(/(\d+) looks queued/.exec(applied.output)?.[1]);
    expect(count, applied.output).to.be.greaterThan(1);
    expect((await looks("--apply")).code, "run again before it is sent").to.equal(0);
    expect(await queued()).to.have.length(count);
    system.api.start();
    await until("the first is sent", async () => (await sent()) > 0);
    await system.api.kill();
    await untilSent();
    expect(await sent()).to.equal(count);
    expect(await lookOf(STORE)).to.deep.equal({ first: 0x006437, second: 0xffffff, pattern: 0 });
    expect((await looks("--apply")).output).to.include("Every ticket is drawn as its store's club looks");
    expect(await sent()).to.equal(count);
  });

  it("are those of the club's row today, on the ticket as the contract draws it and as the site shows it", async () => {
    const { kysely } = database;
    const change = { colours: COLOURS.join(" "), pattern: "hoops" };
    await kysely.updateTable("clubs").set(change).where("slug", "=", "palmeiras").execute();
    const { output } = await looks("--apply");
    expect(output).to.include("1 looks queued").and.include("#006437 #ffffff plain → #a61b1b #ffffff hoops");
    await untilSent();
    expect(await lookOf(STORE)).to.deep.equal({ first: 0xa61b1b, second: 0xffffff, pattern: 2 });
    const shopper = await system.shopper();
    const id = await shopper.buy(STORE, 100);
    // Paid too: its picture says so from then on.
    await system.settled();
    const uri = await chain().readContract({
      ...{ abi: purchaseNftAbi, address: address() },
      functionName: "tokenURI",
      args: [BigInt(id)],
    });
    const { image } = JSON.parse(Buffer.from(uri.split(",")[1] ?? "", "base64").toString());
    const drawn = Buffer.from(image.split(",")[1], "base64").toString();
    for (const colour of COLOURS) expect(drawn, "the crowd wears it").to.include(`<path fill="${colour}" d="M13 8a`);
    const shown = await fetch(`${system.url}/api/nfts/${id}/image`);
    expect(await shown.text()).to.equal(drawn);
  });

  it("are cleared for a store that lost its club, and kept for one that never had one", async () => {
    const { kysely } = database;
    await kysely.updateTable("stores").set({ club_slug: null }).where("id", "=", BigInt(STORE)).execute();
    expect((await looks("--apply")).output).to.include("#a61b1b #ffffff hoops → none");
    await untilSent();
    expect(await lookOf(STORE)).to.deep.equal({ first: 0, second: 0, pattern: 0 });
    expect((await looks()).output).to.include("Every ticket is drawn");
  });
});
