import { expect } from "chai";
import type { BaseContract } from "ethers";
import { aPurchase, CENT_WEI, ethers, freshSystem, item, networkHelpers, read, send } from "./support/system.ts";

const STEPS = 400;
const SEED = 20_260_601;

type Token = {
  buyer: string;
  storeId: bigint;
  valueCents: bigint;
  baseBps: bigint;
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
  const burnt = new Map<string, bigint>();
  const looks = new Map<bigint, bigint[]>();
  let asked: string = ethers.ZeroAddress;
  let recovered = 0n;
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
        if (args.to === ethers.ZeroAddress) {
          add(owned, args.from, -1n);
          add(burnt, args.from, 1n);
          const token = tokens.get(args.id);
          if (token) token.buyer = ethers.ZeroAddress;
        } else add(owned, args.to, 1n);
        break;
      case "PurchaseMinted": {
        const { tokenId, buyer, storeId, valueCents, baseBps, bonusBps } = args;
        tokens.set(tokenId, { buyer, storeId, valueCents, baseBps, bonusBps, status: 1n });
        break;
      }
      case "MetadataUriSet":
        metadataUris.set(args.tokenId, args.metadataUri);
        break;
      case "StatusUpdated": {
        const token = tokens.get(args.tokenId);
        expect(token?.status).to.equal(args.to === 4n ? 2n : 1n);
        if (token) token.status = args.to;
        break;
      }
      case "MetadataUriCleared":
        metadataUris.delete(args.tokenId);
        break;
      case "StoreLookSet":
        looks.set(args.storeId, [args.first, args.second, args.pattern]);
        break;
      case "StoreColourSet":
        looks.set(args.storeId, [args.colour, ...(looks.get(args.storeId)?.slice(1) ?? [0n, 0n])]);
        break;
      case "DistributorSet":
        asked = args.distributor;
        break;
      case "Recovered":
        recovered += args.amount;
        break;
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
  return { tokens, owned, burnt, stores, looks, asked, recovered, metadataUris, paid, credits, pool };
}

describe("Replaying the events alone", () => {
  it("rebuilds every attribute and every balance that the getters return", async () => {
    const system = await freshSystem();
    const { nft, distributor, buyer, other, confirmer, catalogue, treasurer, payer, admin, distributorAddress } =
      system;
    const random = randomFrom(SEED);
    const refusing: BaseContract = await ethers.deployContract("RevertingReceiver");
    const refusingAddress = await refusing.getAddress();
    const token: BaseContract = await ethers.deployContract("TestFanToken", ["PSG", "PSG", 0]);
    const tokenAddress = await token.getAddress();
    const withUri = new Set<bigint>();
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
        if (metadataUri !== "") withUri.add(nextId);
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
        // Whoever asks, it goes to its owner, or stays.
        if ((await read(distributor, "creditOf", refusingAddress)) > 0n && random(3) === 0) {
          await send(refusing, "becomeWilling");
          await send(distributor, "pushCredit", [refusingAddress]);
        }
      },
      async () => {
        if (nextId === 1n) return;
        const id = BigInt(random(Number(nextId) - 1) + 1);
        const { status, buyer: owner } = await read<{ status: bigint; buyer: string }>(nft, "purchaseOf", id);
        if (status === 2n && random(2) === 0) {
          await send(nft, "markReturned", [[id]], confirmer);
          if (payable.includes(id)) payable.splice(payable.indexOf(id), 1);
        }
        const signer = [buyer, other].find(({ address }) => address === owner);
        const isOver = status === 3n || status === 4n || (await read<boolean>(distributor, "isPaid", id));
        if (signer && isOver) await send(nft, "burn", [id], signer);
        if (payable.includes(id) && signer && isOver) payable.splice(payable.indexOf(id), 1);
      },
      async () => {
        const [id] = [...withUri];
        if (id !== undefined) await send(nft, "clearMetadataUri", [[id]], admin);
        if (id !== undefined) withUri.delete(id);
      },
      async () => {
        if (random(2) === 0)
          await send(nft, "setStoreLook", [1, random(1 << 24), random(1 << 24), random(16)], catalogue);
        else await send(nft, "setStoreColour", [1, random(1 << 24)], catalogue);
      },
      async () => {
        await send(token, "mint", [distributorAddress, 5n]);
        await send(distributor, "recover", [tokenAddress, other.address], treasurer);
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
      expect(await read(nft, "isMinted", id)).to.equal(true);
      if (token.buyer === ethers.ZeroAddress) {
        await expect(read(nft, "ownerOf", id)).to.be.revertedWithCustomError(nft, "TokenDoesNotExist");
      } else expect(await read(nft, "ownerOf", id)).to.equal(token.buyer);
      expect(await read(distributor, "isPaid", id)).to.equal(folded.paid.has(id));
      if (token.buyer === ethers.ZeroAddress) continue;
      const uri = await read<string>(nft, "tokenURI", id);
      if (folded.metadataUris.has(id)) expect(uri).to.equal(folded.metadataUris.get(id));
      else expect(uri).to.match(/^data:/);
    }
    for (const address of buyers) {
      expect(await read(nft, "balanceOf", address)).to.equal(folded.owned.get(address) ?? 0n);
      expect(await read(nft, "burntOf", address)).to.equal(folded.burnt.get(address) ?? 0n);
      expect(await read(distributor, "creditOf", address)).to.equal(folded.credits.get(address) ?? 0n);
    }
    for (const [id, name] of folded.stores) expect(await read(nft, "storeName", id)).to.equal(name);
    for (const [id, look] of folded.looks)
      expect([...(await read<bigint[]>(nft, "storeLook", id))]).to.deep.equal(look);
    expect(await read(nft, "distributor")).to.equal(folded.asked);
    expect(await read(token, "balanceOf", other.address)).to.equal(folded.recovered);
    const statuses = [...folded.tokens.values()].map(({ status }) => status);
    expect(statuses).to.include.members([1n, 2n, 3n, 4n]);
    expect([...folded.burnt.values()].reduce((sum, count) => sum + count, 0n) > 2n).to.equal(true);
    expect(await ethers.provider.getBalance(distributorAddress)).to.equal(folded.pool);
    const creditSum = [...folded.credits.values()].reduce((sum, amount) => sum + amount, 0n);
    expect(await read(distributor, "totalCredit")).to.equal(creditSum);
  });
});
