import { expect } from "chai";
import type { BaseContract } from "ethers";
import { aPurchase, CENT_WEI, ethers, freshSystem, item, networkHelpers, read, send } from "./support/system.ts";

const STEPS = 200;
const SEED = 20_260_601;

type Token = {
  buyer: string;
  storeId: bigint;
  valueCents: bigint;
  cashbackBps: bigint;
  bonusBps: bigint;
  status: bigint;
};

/** A small generator with a fixed seed, so that failures can be reproduced. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Everything that can be derived from events alone. */
async function replay(nft: BaseContract, distributor: BaseContract) {
  const tokens = new Map<bigint, Token>();
  const owned = new Map<string, bigint>();
  const stores = new Map<bigint, string>();
  const metadataUris = new Map<bigint, string>();
  const paid = new Set<bigint>();
  const credits = new Map<string, bigint>();
  let pool = 0n;
  const add = (map: Map<string, bigint>, key: string, amount: bigint) => map.set(key, (map.get(key) ?? 0n) + amount);

  const [nftAddress, distributorAddress] = [await nft.getAddress(), await distributor.getAddress()];
  for (const log of await ethers.provider.getLogs({
    address: [nftAddress, distributorAddress] as never,
    fromBlock: 0,
  })) {
    const event = (log.address === nftAddress ? nft : distributor).interface.parseLog(log);
    const args = event?.args;
    if (!args) continue;
    switch (event.name) {
      case "Transfer":
        add(owned, args.to, 1n);
        break;
      case "PurchaseMinted": {
        const { tokenId, buyer, storeId, valueCents, cashbackBps, bonusBps } = args;
        tokens.set(tokenId, { buyer, storeId, valueCents, cashbackBps, bonusBps, status: 1n });
        break;
      }
      case "MetadataUriSet":
        metadataUris.set(args.tokenId, args.metadataUri);
        break;
      case "StatusUpdated": {
        const token = tokens.get(args.tokenId);
        expect(token?.status).to.equal(1n);
        if (token) token.status = args.to;
        break;
      }
      case "StoreRegistered":
      case "StoreRenamed":
        stores.set(args.storeId, args.name);
        break;
      case "Funded":
        pool += args.amount;
        break;
      case "CashbackPaid":
        paid.add(args.purchaseId);
        pool -= args.amount;
        break;
      case "CashbackDeferred":
        paid.add(args.purchaseId);
        add(credits, args.recipient, args.amount);
        break;
      case "CreditWithdrawn":
        credits.delete(args.recipient);
        pool -= args.amount;
        break;
      case "Swept":
        pool -= args.amount;
        break;
    }
  }
  return { tokens, owned, stores, metadataUris, paid, credits, pool };
}

describe("Replaying the events alone", () => {
  it("rebuilds every attribute and every balance that the getters return", async () => {
    const system = await freshSystem();
    const { nft, distributor, buyer, other, confirmer, catalogue, treasurer, payer, admin, distributorAddress } =
      system;
    const random = randomFrom(SEED);
    const refusing: BaseContract = await ethers.deployContract("RevertingReceiver");
    const refusingAddress = await refusing.getAddress();
    const buyers = [buyer.address, other.address, refusingAddress];
    let nextId = 1n;
    const pending: bigint[] = [];
    const payable: bigint[] = [];
    const steps = [
      async () => {
        const metadataUri = random(3) === 0 ? `ipfs://${nextId}` : "";
        const storeId = random(2) === 0 || !stores.has(300) ? 1 : 300;
        await system.mint(
          aPurchase({
            id: nextId,
            buyer: buyers[random(3)] ?? "",
            valueCents: BigInt(random(1e6) + 1),
            bonusBps: random(400),
            metadataUri,
            storeId,
          }),
        );
        pending.push(nextId++);
      },
      async () => {
        const ids = pending.splice(0, random(3));
        if (ids.length > 0) await system.confirm(...ids);
        payable.push(...ids);
      },
      async () => {
        const id = pending.pop();
        if (id !== undefined && random(2) === 0) await send(nft, "cancel", [[id]], confirmer);
        else if (id !== undefined) pending.push(id);
      },
      async () => {
        const ids = payable.slice(0, random(4));
        if (ids.length > 0)
          await send(distributor, "payBatch", [ids.map((id) => item(id, BigInt(random(90) + 1))), CENT_WEI], payer);
        if (random(2) === 0) payable.splice(0, 1);
      },
      async () => {
        if ((await read(distributor, "creditOf", refusingAddress)) > 0n)
          await send(refusing, "withdraw", [distributorAddress, other.address]);
      },
      async () => {
        await send(distributor, "sweep", [other.address, BigInt(random(1_000))], treasurer);
      },
      async () => {
        if (stores.has(300)) await send(nft, "renameStore", [300, `loja ${random(100)}`], catalogue);
        else await send(nft, "registerStore", [300, "nova"], catalogue);
        stores.add(300);
      },
      async () => {
        await admin.sendTransaction({ to: distributorAddress, value: BigInt(random(1_000)) });
      },
    ];
    const stores = new Set<number>();
    for (let step = 0; step < STEPS; step++) await steps[random(steps.length)]?.();
    await networkHelpers.mine();

    const folded = await replay(nft, distributor);
    expect(folded.tokens.size)
      .to.equal(Number(nextId - 1n))
      .and.to.be.greaterThan(5);
    expect(folded.paid.size).to.be.greaterThan(2);
    for (const [id, token] of folded.tokens) {
      expect((await read<{ toObject(): object }>(nft, "purchaseOf", id)).toObject()).to.deep.equal(token);
      expect(await read(nft, "ownerOf", id)).to.equal(token.buyer);
      expect(await read(distributor, "isPaid", id)).to.equal(folded.paid.has(id));
      const uri = await read<string>(nft, "tokenURI", id);
      if (folded.metadataUris.has(id)) expect(uri).to.equal(folded.metadataUris.get(id));
      else expect(uri).to.match(/^data:/);
    }
    for (const address of buyers) {
      expect(await read(nft, "balanceOf", address)).to.equal(folded.owned.get(address) ?? 0n);
      expect(await read(distributor, "creditOf", address)).to.equal(folded.credits.get(address) ?? 0n);
    }
    for (const [id, name] of folded.stores) expect(await read(nft, "storeName", id)).to.equal(name);
    expect(await ethers.provider.getBalance(distributorAddress)).to.equal(folded.pool);
    const creditSum = [...folded.credits.values()].reduce((sum, amount) => sum + amount, 0n);
    expect(await read(distributor, "totalCredit")).to.equal(creditSum);
  });
});
