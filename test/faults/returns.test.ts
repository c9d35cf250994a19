import { createHmac } from "node:crypto";
import { expect } from "chai";
import { createWalletClient, encodeFunctionData, http } from "viem";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { readRevert } from "../../core/chain/revert.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { directAccountsFile } from "../testing/direct-accounts.ts";
import type { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const SECRET = "a-secret-of-the-network-that-is-long-enough";
const [CONFIRMED, RETURNED] = [2, 4];

/** docs/product.md#return-final */
describe("A return that is final, on a real chain @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  let database: Database;
  let buyer: Shopper;
  let sale: { sale_key: string; click_id: string };
  let changedAt = 0;
  before(async () => {
    const environment = {
      SIMULATED_PURCHASES: "false",
      SALE_MIN_SECONDS: "0",
      AFFILIATE_ACCOUNTS: directAccountsFile(`shop:${SECRET}`),
    };
    system = await startFaultSystem({ environment });
    database = await connect(system.databaseUrl);
    buyer = await system.shopper();
    const click = await buyer.visit(1);
    sale = { sale_key: click, click_id: click };
  });
  after(async () => {
    await database?.close();
    await system?.stop();
  });

  const tell = async (status: "approved" | "declined") => {
    changedAt = Math.max(Date.now(), changedAt + 1);
    const event = { event_id: `event-${changedAt}`, ...sale, status, amount: 100, changed_at: changedAt };
    const body = JSON.stringify({ ...event, ...(status === "approved" && { payable: true }) });
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac("sha256", SECRET).update(`${timestamp}.${body}`).digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-torcida-timestamp": timestamp,
      "x-torcida-signature": signature,
    };
    const answer = await fetch(`${system.url}/api/hooks/affiliate/shop`, { method: "POST", headers, body });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  /** The shop could change it until now: its waiting period is nothing, so that was for a day. */
  const waitOut = async () => {
    const rows = await until("the return has a day", async () => {
      const found = await database.kysely
        .selectFrom("sales")
        .select("return_due_at")
        .where("state", "=", "declined")
        .execute();
      return found.length > 0 && found;
    });
    expect((Number(rows[0]?.return_due_at) - Date.now()) / 86_400_000).to.be.closeTo(1, 0.01);
    await database.kysely.updateTable("sales").set({ return_due_at: 1n }).where("return_due_at", ">", 1n).execute();
  };
  const statusOnChain = async (id: number) => {
    const { client } = await system.ledger();
    const [ticket] = await client.readContract({
      ...{ address: system.deployment.purchaseNft.address, abi: purchaseNftAbi },
      ...{ functionName: "ticketsOf", args: [[BigInt(id)]] },
    });
    return ticket?.status;
  };
  const shown = async (id: number) => (await buyer.me()).purchases.find((one) => one.id === id);
  const prove = async () => {
    const { code, output } = await system.run("scripts/prove.ts", [
      ...["--wallet", buyer.address, "--rpc", system.anvil.rpcUrl, "--books", `${system.url}/api/proof`],
    ]);
    expect(code, output).to.equal(0);
    return JSON.parse(output.trim().split("\n").at(-1) ?? "");
  };
  const agrees = async () => {
    const { code, output } = await system.run("scripts/reconcile.ts", ["--full"]);
    expect(code, output).to.equal(0);
    const { differences } = await system.judge();
    expect(differences).to.deep.equal([]);
  };

  it("is sent once it is, whoever dies between queue and chain, and shown wherever the ticket is", async () => {
    await tell("approved");
    await buyer.paid([1]);
    await tell("declined");
    await waitOut();
    system.proxy.at("eth_sendRawTransaction", "before", () => system.api.kill());
    await until(
      "the api died before it was sent",
      async () => system.api.output().split("The api is listening").length > 2,
    );
    await until("the chain says Returned", async () => (await statusOnChain(1)) === RETURNED);
    const record = await until("its buyer sees it", async () => {
      const one = await shown(1);
      return one?.situation_detail === "returned" ? one : undefined;
    });
    expect(record).to.include({ situation: "paid_then_returned", status: "confirmed", confirmed_at: null });
    expect(record.returned_at).to.match(/^20\d\d-/);
    const { body } = await buyer.call("GET", "/api/nfts/1");
    expect(body.data).to.include({ status: "confirmed", status_detail: "returned", is_over: true });
    expect(body.data.metadata.attributes).to.deep.include({ trait_type: "Status", value: "Returned" });
    expect(await (await fetch(`${system.url}/api/nfts/1/image`)).text()).to.include("DEVOLVIDO");
    expect(await prove()).to.include({ purchases: 1, matches: true });
    await agrees();
    const sent = await database.kysely
      .selectFrom("operations")
      .select(["kind", "status"])
      .where("kind", "=", "return")
      .execute();
    expect(sent).to.deep.equal([{ kind: "return", status: "done" }]);
  });

  it("is never paid again by the contract, whoever asks", async () => {
    const { client } = await system.ledger();
    const [payer] = await database.kysely.selectFrom("transactions").select("sender").limit(1).execute();
    const data = encodeFunctionData({
      ...{ abi: cashbackDistributorAbi, functionName: "payBatch" },
      args: [[(1n << 96n) | 1n], 1n],
    });
    const to = system.deployment.cashbackDistributor.address;
    // Its paid bit is set: it is skipped. A Returned one that was never paid is refused: test/contracts.
    const answer = await client.call({ account: payer?.sender as `0x${string}`, to, data }).catch(readRevert);
    expect(answer).to.not.have.property("name");
    expect((await system.ledger()).paymentsOf(1)).to.have.length(1);
  });

  it("comes back as another purchase, of which the debt is kept, and which can be returned too", async () => {
    await tell("approved");
    await until("the second ticket is kept in full", async () => (await shown(2))?.situation === "netted");
    expect([await statusOnChain(1), await statusOnChain(2)]).to.deep.equal([RETURNED, CONFIRMED]);
    expect(await shown(1)).to.include({ situation: "paid_then_returned", situation_detail: "returned" });
    const { statement } = await buyer.me();
    expect(statement).to.include({ to_offset: "0", waiting: "0", on_the_way: "0" });
    expect(await prove()).to.include({ purchases: 2, matches: true });
    await agrees();
    await tell("declined");
    await waitOut();
    await until("the chain says Returned of it too", async () => (await statusOnChain(2)) === RETURNED);
    await until("the index has it", async () => (await shown(2))?.situation_detail === "returned");
    await agrees();
    await tell("approved");
    await until("a third ticket is kept in full", async () => (await shown(3))?.situation === "netted");
    expect((await system.ledger()).paymentsOf(2)).to.deep.equal([]);
    await agrees();
  });

  it("is sent once more where a reorg takes it away", async () => {
    const { anvil } = system;
    const [{ id = 0 } = {}] = (await buyer.me()).purchases;
    await tell("declined");
    await waitOut();
    const head = Number(await anvil.request("eth_blockNumber"));
    await until("the chain says Returned", async () => (await statusOnChain(id)) === RETURNED);
    await anvil.request("anvil_reorg", Number(await anvil.request("eth_blockNumber")) - head, []);
    expect(await statusOnChain(id)).to.equal(CONFIRMED);
    await until("the chain says Returned again", async () => (await statusOnChain(id)) === RETURNED);
    await until("its buyer sees it", async () => (await shown(id))?.situation_detail === "returned");
    await agrees();
  });

  it("may be burnt by its owner, and is counted and proven as before, with a word that says so", async () => {
    const { anvil, deployment } = system;
    await anvil.request("anvil_setBalance", buyer.address, "0xde0b6b3a7640000");
    const wallet = createWalletClient({ account: buyer.account, transport: http(anvil.rpcUrl) });
    const address = deployment.purchaseNft.address;
    const call = { address, abi: purchaseNftAbi, functionName: "burn", chain: null } as const;
    await wallet.writeContract({ ...call, args: [1n] });
    const { nfts } = await until("the site shows it", async () => {
      const me = await buyer.me();
      return me.nfts.some(({ burnt_at }) => burnt_at) ? me : undefined;
    });
    expect(nfts.map(({ tokenId, burnt_at }) => [tokenId, typeof burnt_at])).to.have.deep.members([
      ["1", "string"],
      ...["2", "3"].map((id) => [id, "object"]),
    ]);
    const { body } = await buyer.call("GET", "/api/nfts/1");
    expect(body.data.burnt.tx).to.match(/^0x/);
    expect(body.data).to.include({ status_detail: "returned", picture_cleared: null });
    expect(await prove()).to.include({ purchases: 3, matches: true });
    await agrees();
  });
});
