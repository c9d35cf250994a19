import { expect } from "chai";
import { encodeFunctionData } from "viem";
import { testFanTokenAbi } from "../../core/chain/generated/test-fan-token.ts";
import { approvedSale, tell } from "../api/support/affiliate-network.ts";
import type { Caller } from "../api/support/caller.ts";
import { onBothSystems } from "../api/support/system.ts";
import { type ScriptedNode, startScriptedNode } from "../indexer/support/scripted-node.ts";
import { until } from "../testing/until.ts";
import { type CodeLiar, startCodeLiar } from "./support/code-liar.ts";

const STORE = 1;
const SLUG = "verdao";
const MINUTES = 60_000n;

onBothSystems("A bonus that cannot be read at the click @deep", {}, (system) => {
  let liar: CodeLiar;
  let honest: ScriptedNode;
  let isAway = false;
  before(async () => {
    liar = await startCodeLiar(system().anvil.rpcUrl);
    honest = await startScriptedNode(system().anvil.rpcUrl, () => (isAway ? { status: 503 } : undefined));
  });
  afterEach(() => {
    isAway = false;
  });
  after(async () => {
    await liar?.stop();
    await honest?.stop();
  });

  const token = () => {
    const found = system().deployment.fanTokens.find(({ slug }) => slug === SLUG);
    if (!found) throw new Error(`No fan token ${SLUG}`);
    return found;
  };
  const fifty = () => 50n * 10n ** BigInt(token().decimals);
  const give = async (to: `0x${string}`) => {
    const [from] = await system().anvil.request<string[]>("eth_accounts");
    const data = encodeFunctionData({ abi: testFanTokenAbi, functionName: "mint", args: [to, fifty()] });
    const hash = await system().anvil.request("eth_sendTransaction", { from, to: token().address, data });
    await until("the tokens arrived", () => system().anvil.request("eth_getTransactionReceipt", hash));
  };
  const startOn = async (nodes: readonly string[], more: Record<string, string> = {}) => {
    await system().stopApi();
    await system().startApi({ RPC_URLS: nodes.join(), NETWORK: "localhost", ...more });
    await until("the api is ready", async () => (await fetch(`${system().url}/readyz`)).status === 200);
  };
  const register = async (buyer: Caller) => {
    const request = { user: buyer.address, store_id: STORE, amount: 100, token_slug: SLUG };
    const { status, body, text } = await buyer.post("/api/register-purchase", request);
    expect(status, text).to.equal(200);
    return body;
  };
  const buy = async (buyer: Caller) => (await register(buyer)).purchase;
  /** As if it had been registered earlier. */
  const age = async (id: number, byMs: bigint) => {
    const { kysely } = await system().database();
    await kysely
      .updateTable("purchases")
      .set((set) => ({ created_at: set("created_at", "-", byMs), bonus_due_at: 0n }))
      .where("id", "=", BigInt(id))
      .execute();
  };

  it("is no reason to wait or to believe: the click is taken, and nobody is told another's balance", async () => {
    const poor = await system().user();
    const rich = await system().user();
    await give(rich.account.address);
    await startOn([liar.url, honest.url]);
    liar.enrich(fifty());
    const taken = await buy(poor);
    expect(taken).to.include({ bonus_percent: "2", bonus_state: "open" });
    await age(taken.id, 9n * MINUTES);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await poor.seen(taken.id, () => true)).to.include({ bonus_state: "open", status: "processing" });
    await age(taken.id, 2n * MINUTES);
    const decided = await poor.seen(taken.id, ({ bonus_state }) => bonus_state !== "open");
    expect(decided).to.include({ bonus_percent: "2", bonus_state: "none" });
    await poor.paid([taken.id]);
    expect(await buy(rich), "where both say the same").to.include({ bonus_percent: "4", bonus_state: "known" });
  });

  it("is decided by the balance of that block once the nodes answer, and its ticket is minted with it", async () => {
    const buyer = await system().user();
    await give(buyer.account.address);
    await startOn([honest.url]);
    isAway = true;
    const taken = await buy(buyer);
    expect(taken).to.include({ bonus_percent: "2", bonus_state: "open" });
    isAway = false;
    const known = await buyer.seen(taken.id, ({ bonus_state }) => bonus_state === "known");
    expect(known.bonus_percent).to.equal("4");
    await buyer.paid([taken.id]);
    const { kysely } = await system().database();
    const nft = await kysely
      .selectFrom("nfts")
      .select("bonus_bps")
      .where("token_id", "=", BigInt(taken.id))
      .executeTakeFirst();
    expect(nft?.bonus_bps).to.equal(400n);
  });

  it("changes what a click's sale gives that was reported before", async () => {
    const { kysely } = await system().database();
    const direct = { network: "direct", account: "awin" };
    await kysely.updateTable("stores").set(direct).where("id", "=", BigInt(STORE)).execute();
    const buyer = await system().user();
    await give(buyer.account.address);
    await startOn([honest.url], {
      SIMULATED_PURCHASES: "false",
      SALE_MIN_SECONDS: "0",
      MINT_DELAY_SECONDS: "3600",
    });
    isAway = true;
    const { click } = await register(buyer);
    expect(click.bonus_state).to.equal("open");
    const { body } = await tell(system(), approvedSale(click.id));
    const centBps = async () =>
      (
        await kysely
          .selectFrom("sales")
          .select("cashback_cent_bps")
          .where("id", "=", BigInt(body.sale_id))
          .executeTakeFirstOrThrow()
      ).cashback_cent_bps;
    const before = await centBps();
    isAway = false;
    await until("its bonus is known", async () => {
      const [one] = (await buyer.get("/api/clicks")).body.clicks;
      return one.bonus_state === "known";
    });
    expect(await centBps()).to.equal(before + 10_000n * 200n);
  });
});
