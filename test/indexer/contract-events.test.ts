import { expect } from "chai";
import { type Abi, type AbiEvent, type Address, parseEther, toEventSelector, zeroAddress } from "viem";
import { CONTRACT_EVENT_TOPICS, ROLE_NAMES } from "../../core/chain/contract-events.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { testFanTokenAbi } from "../../core/chain/generated/test-fan-token.ts";
import { testFanTokenBytecode } from "../../core/chain/generated/test-fan-token-bytecode.ts";
import type { Database } from "../../core/database/connect.ts";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import { EVENT_TOPICS } from "../../indexer/events.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onBothEngines } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { DELAY_SECONDS, LIMITS, openShop, RATE, roleId, type Shop } from "./support/contract-shop.ts";
import { ContractState } from "./support/contract-state.ts";
import { caughtUp, type RunningIndexer, startIndexer } from "./support/running-indexer.ts";

/** They repeat other events for explorers, or are of a standard whose calls the contract refuses. */
const NOT_INDEXED = {
  repeats: ["Locked", "MetadataUpdate", "BatchMetadataUpdate", "ContractURIUpdated"],
  neverEmitted: ["Approval", "ApprovalForAll"],
};

const REFUSING = "0x00000000000000000000000000000000000c0de2";

describe("The events of the contracts", function () {
  this.timeout(240_000);
  let anvil: Anvil;
  const running: RunningIndexer[] = [];
  beforeEach(async () => {
    anvil = await startAnvil({ manualBlocks: true });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((indexer) => indexer.stop()));
    await anvil.stop();
  });

  it("are all indexed, with the hashes that the contracts give them", () => {
    const known = new Map<string, string>([
      ...[...CONTRACT_EVENT_TOPICS].map(([topic, { event }]) => [topic, event] as const),
      ...Object.entries(EVENT_TOPICS).map(([event, { topic }]) => [topic, event] as const),
    ]);
    const left: string[] = [];
    for (const [name, abi] of Object.entries({
      purchaseNft: purchaseNftAbi,
      cashbackDistributor: cashbackDistributorAbi,
    })) {
      for (const item of abi as Abi) {
        if (item.type !== "event") continue;
        const topic = toEventSelector(item as AbiEvent);
        if (!known.has(topic)) left.push(item.name);
        else expect(known.get(topic)).to.equal(item.name);
        const of = CONTRACT_EVENT_TOPICS.get(topic)?.of;
        if (of) expect(of === "both" || of === name, `${item.name} of ${name}`).to.equal(true);
      }
    }
    expect(left.sort()).to.deep.equal(
      [...NOT_INDEXED.repeats, ...NOT_INDEXED.neverEmitted, "Transfer"].sort(),
      "`Transfer` is read as the owner of a mint, and as `Burnt`",
    );
    const topics = [purchaseNftAbi, cashbackDistributorAbi].flatMap((abi) =>
      (abi as Abi).flatMap((item) => (item.type === "event" ? [toEventSelector(item)] : [])),
    );
    for (const topic of known.keys()) expect(topics).to.include(topic);
  });

  it("name every role of the contracts", () => {
    const declared = [purchaseNftAbi, cashbackDistributorAbi].flatMap((abi) =>
      (abi as Abi).flatMap((one) => (one.type === "function" && one.name.endsWith("_ROLE") ? [one.name] : [])),
    );
    expect(new Set(Object.values(ROLE_NAMES))).to.deep.equal(new Set(declared));
    for (const [id, name] of Object.entries(ROLE_NAMES))
      expect(id, name).to.equal(name === "DEFAULT_ADMIN_ROLE" ? `0x${"0".repeat(64)}` : roleId(name));
  });

  onBothEngines(({ open }) => {
    it("tell every storage variable of both contracts, of each generation, as the getters do, also made anew", async () => {
      const shop = await openShop(anvil);
      await liveThroughEveryAct(anvil, shop);
      const former = { nft: shop.nft.address, distributor: shop.distributor.address };
      const pair = await succeed(shop);
      const { database, url } = await open();
      const follow = async (nft: Address, distributor: Address, formerNfts: Address[], formerOnes: Address[]) => {
        const source = {
          chainId: 88_882,
          purchaseNft: toWalletAddress(nft),
          formerPurchaseNfts: formerNfts.map((one) => toWalletAddress(one)),
          cashbackDistributor: toWalletAddress(distributor),
          formerDistributors: formerOnes.map((one) => toWalletAddress(one)),
          startBlock: 0,
        };
        running.push(await startIndexer({ databaseUrl: url, rpcUrls: [anvil.rpcUrl], source }));
        await until("it is of these contracts", async () => {
          const known = await database.kysely.selectFrom("chain_source").select("purchase_nft").executeTakeFirst();
          return known?.purchase_nft === source.purchaseNft;
        });
        await caughtUp(database, anvil);
      };
      const compare = async (states: [Address, typeof purchaseNftAbi | typeof cashbackDistributorAbi, string[]][]) => {
        for (const [address, abi, unsaid] of states) {
          const state = await stateOf(database, address);
          await compareWithGetters(shop, state, { address, abi: abi as Abi, unsaid });
        }
      };

      await follow(former.nft, former.distributor, [], []);
      const first: Parameters<typeof compare>[0] = [
        [former.nft, purchaseNftAbi, []],
        [former.distributor, cashbackDistributorAbi, ["purchaseNFT"]],
      ];
      await compare(first);
      const events = await eventNames(database);
      expect(events, "every event that a contract can emit was emitted").to.have.members(
        [...CONTRACT_EVENT_TOPICS.values()].map(({ event }) => event).filter((event) => !SUCCESSION.includes(event)),
      );
      const before = await rows(database);

      // Made anew, it is the same.
      await running.pop()?.stop();
      await database.kysely.deleteFrom("chain_cursor").execute();
      await database.kysely.deleteFrom("chain_source").execute();
      await follow(former.nft, former.distributor, [], []);
      expect(await rows(database)).to.deep.equal(before);
      await running.pop()?.stop();

      await follow(pair.nft, pair.distributor, [former.nft], [former.distributor]);
      await compare([
        [pair.nft, purchaseNftAbi, []],
        [pair.distributor, cashbackDistributorAbi, []],
        [former.nft, purchaseNftAbi, []],
        [former.distributor, cashbackDistributorAbi, ["purchaseNFT"]],
      ]);
      expect(await eventNames(database)).to.include("Succeeded");
    });

    it("go with a reorg, and come with the blocks that replace it", async () => {
      const shop = await openShop(anvil);
      const { database, url } = await open();
      const { source } = shop;
      running.push(await startIndexer({ databaseUrl: url, rpcUrls: [anvil.rpcUrl], source }));
      const snapshot = await anvil.request("evm_snapshot");
      await shop.nft.send("setSiteUrl", ["https://one.example"]);
      await shop.distributor.send("setLimits", [{ ...LIMITS, maxPayout: 1n }]);
      await caughtUp(database, anvil);
      expect(await stateOf(database, shop.nft.address)).to.include({ siteUrl: "https://one.example" });
      await anvil.request("evm_revert", snapshot);
      await anvil.request("evm_increaseTime", 7);
      await shop.nft.send("setSiteUrl", ["https://other.example"]);
      await anvil.request("anvil_mine", "0x3");
      await caughtUp(database, anvil);
      expect(await stateOf(database, shop.nft.address)).to.include({ siteUrl: "https://other.example" });
      expect((await stateOf(database, shop.distributor.address)).limits).to.deep.equal(LIMITS);
    });

    it("are read first into an index that a version made which did not read them, and a lost one is found", async () => {
      const shop = await openShop(anvil);
      const { database, url } = await open();
      const { kysely } = database;
      const { source } = shop;
      const start = async () => {
        running.push(await startIndexer({ databaseUrl: url, rpcUrls: [anvil.rpcUrl], source }));
        await caughtUp(database, anvil);
      };
      await start();
      const all = await rows(database);
      await running.pop()?.stop();
      // As that version left it.
      for (const table of ["contract_events", "contract_acts", "watched_contracts"] as const)
        await kysely.deleteFrom(table).execute();
      await start();
      await until(
        "it is read",
        async () =>
          (await kysely.selectFrom("watched_contracts").select("contract").where("is_read", "=", 1n).execute()).length >
          0,
      );
      expect(await rows(database)).to.deep.equal(all);
      await running.pop()?.stop();
      await kysely.deleteFrom("contract_events").where("event", "=", "LimitsSet").execute();
      await kysely.updateTable("contract_events").set({ arguments: "{}" }).where("event", "=", "SiteUrlSet").execute();
      await start();
      await until("the second read repairs it", async () => {
        return JSON.stringify(await rows(database), asText) === JSON.stringify(all, asText);
      });
    });
  });
});

const asText = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);

/** Of a successor alone. OpenZeppelin's `RoleAdminChanged` is of a function that our contracts do not call. */
const SUCCESSION = ["Succeeded", "RoleAdminChanged"];

async function eventNames({ kysely }: Database): Promise<string[]> {
  const found = await kysely.selectFrom("contract_events").select("event").distinct().execute();
  return found.map(({ event }) => event);
}

function rows({ kysely }: Database) {
  return kysely.selectFrom("contract_events").selectAll().orderBy("block_number").orderBy("log_index").execute();
}

/** One contract's state, from the index alone. */
async function stateOf({ kysely }: Database, address: Address): Promise<ContractState> {
  const contract = toWalletAddress(address);
  const said = await kysely.selectFrom("contract_events").selectAll().execute();
  const rates = said.filter((one) => one.event === "RateApplied");
  const payerOf = new Map(rates.map((one) => [one.transaction_hash, one.contract]));
  const { purchase_nft } = await kysely.selectFrom("chain_source").select("purchase_nft").executeTakeFirstOrThrow();
  const minted = await kysely.selectFrom("nfts").select(["token_id", "contract"]).execute();
  const continued = said.find((one) => one.event === "Succeeded" && one.contract === purchase_nft);
  const first = continued ? JSON.parse(continued.arguments).predecessor : purchase_nft;
  const minterOf = new Map(minted.map((one) => [one.token_id, one.contract ?? first]));
  const lives = await kysely
    .selectFrom("chain_events")
    .innerJoin("chain_blocks", "chain_blocks.number", "chain_events.block_number")
    .selectAll("chain_events")
    .select("chain_blocks.timestamp")
    .execute();
  const all = [
    ...said.map((one) => ({ ...one, arguments: JSON.parse(one.arguments), at: Number(one.at) / 1_000 })),
    ...lives.map((one) => {
      const more = JSON.parse(one.arguments);
      const id = String(one.token_id);
      const event = one.kind === "Burnt" ? "Transfer" : one.kind;
      const isPayment = event.startsWith("Cashback");
      const names = isPayment
        ? { purchaseId: id, amount: more.amountWei }
        : {
            tokenId: id,
            baseBps: more.cashbackBps,
            ...(event === "Transfer" && { from: more.owner, to: zeroAddress }),
          };
      const of = isPayment ? payerOf.get(one.transaction_hash) : minterOf.get(one.token_id ?? 0n);
      return { ...one, event, contract: of, arguments: { ...more, ...names }, at: Number(one.timestamp) };
    }),
  ].filter((one) => one.contract === contract);
  all.sort((a, b) => Number(a.block_number - b.block_number) || Number(a.log_index - b.log_index));
  return ContractState.of(all);
}

/** Every act that a contract knows, each at least once. */
async function liveThroughEveryAct(
  anvil: Anvil,
  { people, create, pay, drawing, nft, distributor }: Shop,
): Promise<void> {
  const { admin, minter, confirmer, payer, treasurer, buyer, other, next } = people;
  const grants = [
    [nft, "MINTER_ROLE", minter],
    [nft, "CONFIRMER_ROLE", confirmer],
    [nft, "CATALOGUE_ROLE", admin],
    [nft, "PAUSER_ROLE", admin],
    [nft, "PAUSER_ROLE", other],
    [nft, "TREASURER_ROLE", treasurer],
    [distributor, "PAYER_ROLE", payer],
    [distributor, "TREASURER_ROLE", treasurer],
    [distributor, "PAUSER_ROLE", admin],
  ] as const;
  for (const [contract, role, holder] of grants) await contract.send("grantRole", [roleId(role), holder]);
  await nft.send("revokeRole", [roleId("PAUSER_ROLE"), other]);
  await nft.send("setDistributor", [distributor.address]);
  await nft.send("registerStore", [1, "Loja"]);
  await nft.send("registerStore", [300, 'Açaí "da" \\ Vovó']);
  await nft.send("renameStore", [1, "Loja São José 🏟"]);
  await nft.send("setStoreLook", [1, 0x112233, 0x445566, 7]);
  await nft.send("setStoreColour", [1, 0xaabbcc]);
  await anvil.request("anvil_setCode", REFUSING, "0x60006000fd");
  const mint = (id: bigint, to: Address, uri = "", storeId = 1) =>
    nft.send(
      "mint",
      [{ id, buyer: to, storeId, valueCents: 10_000n + id, baseBps: 250, bonusBps: 50, saleRef: id }, uri],
      minter,
    );
  await mint(1n, buyer);
  await mint(2n, buyer, "ipfs://two");
  await mint(3n, other, "https://shop.example/three.json", 300);
  await mint(4n, REFUSING);
  await mint(5n, buyer);
  await mint(6n, REFUSING);
  await nft.send("confirm", [[1n, 2n, 3n, 4n, 6n]], confirmer);
  await nft.send("cancel", [[5n]], confirmer);
  await nft.send("clearMetadataUri", [[2n]]);
  await pay(distributor.address, parseEther("2000"));
  const item = (id: bigint, amount: bigint) => (id << 96n) | amount;
  await distributor.send("payBatch", [[item(1n, 5n), item(4n, 7n)], RATE], payer);
  await distributor.send("payBatch", [[item(1n, 5n), item(6n, 9n)], RATE / 2n], payer);
  await distributor.send("pay", [3n, 11n, RATE], payer);
  await nft.send("markReturned", [[2n]], confirmer);
  await nft.send("burn", [1n], buyer);
  await nft.send("burn", [5n], buyer);
  await anvil.request("anvil_setCode", REFUSING, "0x");
  await distributor.send("pushCredit", [REFUSING], other);
  await anvil.request("anvil_setCode", REFUSING, "0x60006000fd");
  await mint(7n, REFUSING);
  await nft.send("confirm", [[7n]], confirmer);
  // On another day, of which alone the cap counts.
  await anvil.request("evm_increaseTime", 86_400);
  await distributor.send("payBatch", [[item(7n, 13n)], RATE], payer);
  await distributor.send("setLimits", [{ ...LIMITS, maxPayout: parseEther("7") }]);
  await distributor.send("sweep", [treasurer, 17n], treasurer);
  const token = await create(testFanTokenAbi as Abi, testFanTokenBytecode, ["PSG", "PSG", 0]);
  for (const contract of [nft, distributor]) {
    await token.send("mint", [contract.address, 19n]);
    await contract.send("recover", [token.address, treasurer], treasurer);
    await contract.send("pause", []);
    await contract.send("unpause", []);
    await contract.send("pause", []);
    await contract.send("beginDefaultAdminTransfer", [other]);
    await contract.send("cancelDefaultAdminTransfer", []);
    await contract.send("changeDefaultAdminDelay", [50]);
    await contract.send("rollbackDefaultAdminDelay", []);
    await contract.send("beginDefaultAdminTransfer", [next]);
  }
  await nft.send("setDescriptor", [zeroAddress]);
  await nft.send("setDescriptor", [drawing.address]);
  await nft.send("setSiteUrl", ["https://new.example"]);
  // One is taken over, the other waits; one delay holds, the other will.
  await distributor.send("changeDefaultAdminDelay", [1]);
  await anvil.request("evm_increaseTime", 100);
  await distributor.send("changeDefaultAdminDelay", [90]);
  await distributor.send("rollbackDefaultAdminDelay", []);
  await nft.send("acceptDefaultAdminTransfer", [], next);
  await nft.send("changeDefaultAdminDelay", [60], next);
  await distributor.send("retire", []);
}

/** A new pair after the old one, which takes over what it has. */
async function succeed({ drawing, nft, distributor, tickets, payOut }: Shop) {
  const none = { maxWeiPerCent: 0n, maxPayout: 0n, dailyCap: 0n };
  const newNft = await tickets(drawing.address, nft.address);
  const newDistributor = await payOut(newNft.address, none, distributor.address);
  return { nft: newNft.address, distributor: newDistributor.address };
}

/** What a contract says of itself whatever happens, and what only repeats another answer. */
const CONSTANT = [
  ...["name", "symbol", "MAX_BATCH", "RECIPIENT_GAS", "MIN_GAS_BEFORE_CALL", "supportsInterface", "getApproved"],
  ...["isApprovedForAll", "defaultAdminDelayIncreaseWait", "DEFAULT_ADMIN_ROLE", "MINTER_ROLE", "CONFIRMER_ROLE"],
  ...["CATALOGUE_ROLE", "PAUSER_ROLE", "TREASURER_ROLE", "PAYER_ROLE"],
];
const DERIVED = [
  ...["contractURI", "locked", "owner", "storeColour", "storedPurchaseOf", "purchasesOfItems", "ticketsOf", "paidWord"],
];

async function compareWithGetters(
  { client, people, drawing }: Shop,
  state: ContractState,
  { address, abi, unsaid }: { address: Address; abi: Abi; unsaid: string[] },
): Promise<void> {
  const compared = new Set([...CONSTANT, ...DERIVED, ...unsaid]);
  const same = async (functionName: string, expected: unknown, ...args: unknown[]) => {
    compared.add(functionName);
    const value = await client.readContract({ address, abi, functionName, args });
    expect(lower(value), `${functionName}(${args.join(", ")}) of ${address}`).to.deep.equal(lower(expected));
  };
  const { timestamp } = await client.getBlock();
  const has = (functionName: string) => abi.some((one) => one.type === "function" && one.name === functionName);

  await same("defaultAdmin", state.admin);
  const { admin: offered = zeroAddress, from = 0 } = state.pendingAdmin ?? {};
  await same("pendingDefaultAdmin", [offered, from]);
  await same("defaultAdminDelay", state.delayAt(Number(timestamp)) ?? DELAY_SECONDS);
  const { seconds = 0, after = 0 } = state.pendingDelayAt(Number(timestamp)) ?? {};
  await same("pendingDefaultAdminDelay", [seconds, after]);
  await same("paused", state.isPaused);
  await same("predecessor", state.predecessor);
  const roles = ["MINTER", "CONFIRMER", "CATALOGUE", "PAUSER", "TREASURER", "PAYER"].map((one) =>
    roleId(`${one}_ROLE`),
  );
  for (const role of [...roles, `0x${"0".repeat(64)}`]) {
    await same("getRoleAdmin", state.roleAdmins.get(role) ?? `0x${"0".repeat(64)}`, role);
    for (const who of [...Object.values(people), drawing.address])
      await same("hasRole", state.roles.get(role)?.has(who.toLowerCase()) ?? false, role, who);
  }
  const ids = Array.from({ length: 9 }, (_, index) => BigInt(index + 1));
  if (has("siteUrl")) {
    await same("siteUrl", state.siteUrl);
    await same("descriptor", state.descriptor);
    await same("distributor", state.distributor);
    for (const id of [0, 1, 2, 300]) {
      const { name = "", first = 0, second = 0, pattern = 0 } = state.stores.get(id) ?? {};
      await same("storeName", name, id);
      await same("storeLook", { first, second, pattern }, id);
    }
    for (const who of [...Object.values(people), REFUSING]) {
      await same("balanceOf", state.held.get(who.toLowerCase()) ?? 0n, who);
      await same("burntOf", state.burnt.get(who.toLowerCase()) ?? 0n, who);
    }
    for (const [id, { valueCents, ...ticket }] of state.tickets) {
      await same("isMinted", true, id);
      await same("purchaseOf", { ...ticket, valueCents: Number(valueCents) }, id);
      if (ticket.buyer === zeroAddress) continue;
      await same("ownerOf", ticket.buyer, id);
      const uri = state.metadataUris.get(id);
      const drawn = await client.readContract({ address, abi, functionName: "tokenURI", args: [id] });
      expect(uri === undefined ? String(drawn).startsWith("data:") : drawn === uri, `picture of ${id}`).to.equal(true);
    }
    if (state.predecessor === zeroAddress) for (const id of ids) await same("isMinted", state.tickets.has(id), id);
    for (const view of ["tokenURI", "ownerOf", "purchaseOf", "isMinted"]) compared.add(view);
  } else {
    await same("limits", state.limits);
    await same("isRetired", state.isRetired);
    await same("totalCredit", state.totalCredit);
    await same("spentToday", state.spentOn(Number(timestamp)));
    await same("available", state.balance - state.totalCredit);
    expect(await client.getBalance({ address }), "balance").to.equal(state.balance);
    if (state.ticketsPaid) await same("purchaseNFT", state.ticketsPaid);
    for (const who of [...Object.values(people), REFUSING])
      await same("creditOf", state.credits.get(who.toLowerCase()) ?? 0n, who);
    if (state.predecessor === zeroAddress) for (const id of ids) await same("isPaid", state.paid.has(id), id);
    compared.add("isPaid");
  }
  const views = abi.flatMap((one) => (one.type === "function" && /view|pure/.test(one.stateMutability) ? [one] : []));
  const left = views.map(({ name }) => name).filter((name) => !compared.has(name));
  // What only moves nothing, such as `transferFrom`, is no getter.
  expect(left.filter((name) => name !== "setApprovalForAll")).to.deep.equal([], "getters that were not compared");
}

const lower = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null, asText).toLowerCase());
