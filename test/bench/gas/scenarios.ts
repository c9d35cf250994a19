import type { BaseContract } from "ethers";
import {
  aPurchase,
  CENT_WEI,
  deploySystem,
  ethers,
  gasOf,
  item,
  mintArgs,
  NO_LIMITS,
  networkHelpers,
  read,
  SITE_URL,
  type System,
  send,
} from "../../contracts/support/system.ts";

/** Purchases whose paid bits share one word of storage. */
export const WORD_OF_PAID_BITS = 256n;
const BATCH = 100;
const NFT_BATCH = 50;
const LARGEST_BATCH = 128;
/** Spacing of non-consecutive ids in a batch; a word of 256 paid bits then holds seven of them. */
const SPARSE_STEP = 37n;
/** The part of a transaction's gas that an `eth_call` does not have. */
const TRANSACTION_GAS = 21_000;
const AMOUNT_WEI = 1_123_456_789n * 10n ** 9n;

/** Fixed accounts, so that the figures are reproducible. */
const account = (index: number) => ethers.getAddress(`0x${ethers.id(`account ${index}`).slice(26)}`);
const accounts = (from: number, count: number) => Array.from({ length: count }, (_, index) => account(from + index));
const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => BigInt(from + index));

/** Gas of whole transactions; of one ticket or payout for batches. */
export async function measureGas(): Promise<Record<string, number>> {
  const system = await deploySystem();
  return { ...(await measureTickets(system)), ...(await measurePayouts(system)) };
}

async function measureTickets(system: System): Promise<Record<string, number>> {
  const { nft, minter, mint, confirm } = system;
  const buyer = account(0);
  const one = (id: bigint) => gasOf(send(nft, "mint", mintArgs(aPurchase({ id, buyer })), minter));
  const batch = async (tokenIds: bigint[], buyers: string[]) =>
    (await gasOf(mint(...tokenIds.map((id, index) => aPurchase({ id, buyer: buyers[index] ?? "" }))))) / NFT_BATCH;
  const distinct = accounts(100, NFT_BATCH);
  const same = Array.from({ length: NFT_BATCH }, () => account(0));
  const run = ids(100, NFT_BATCH);
  const sparse = ids(0, NFT_BATCH).map((index) => 10_000n + index * SPARSE_STEP);
  return {
    mintNewBuyer: await one(1n),
    mintReturningBuyer: await one(2n),
    mintBatchNewBuyers: await batch(run, distinct),
    mintBatchDistinctReturningBuyers: await batch(ids(200, NFT_BATCH), distinct),
    mintBatchDistinctReturningBuyersSparse: await batch(sparse, distinct),
    mintBatchOneReturningBuyer: await batch(ids(300, NFT_BATCH), same),
    confirmOne: await gasOf(confirm(1n)),
    confirmRun: (await gasOf(confirm(...run))) / NFT_BATCH,
    confirmSparse: (await gasOf(confirm(...sparse))) / NFT_BATCH,
    tokenUri: Number(await nft.getFunction("tokenURI").estimateGas(1n)) - TRANSACTION_GAS,
    ticketArt: await drawingGas(buyer),
  };
}

/** The gas of drawing the picture, without escaping and embedding it in the JSON. */
async function drawingGas(buyer: string): Promise<number> {
  const painter = await ethers.deployContract("TicketPainter");
  const { valueCents, baseBps, bonusBps, storeId } = aPurchase({ id: 1n, buyer });
  const record = { buyer, storeId, valueCents, baseBps, bonusBps, status: 1 };
  const ticket = { id: 1n, purchase: record, storeName: "Verdão Store", storeColour: 0, siteUrl: SITE_URL };
  return Number(await painter.getFunction("draw").estimateGas(ticket)) - TRANSACTION_GAS;
}

async function measurePayouts(system: System): Promise<Record<string, number>> {
  const { distributor, payer, admin } = system;
  await admin.sendTransaction({ to: system.distributorAddress, value: 3n * 10n ** 21n });
  const prepare = async (tokenIds: bigint[], buyers: string[]) => {
    const purchases = buyers.map((buyer, index) =>
      aPurchase({ id: tokenIds[index] ?? 0n, buyer, valueCents: 1_000_000n }),
    );
    await system.mint(...purchases);
    await system.confirm(...purchases.map(({ id }) => id));
    return purchases.map(({ id }) => item(id, AMOUNT_WEI));
  };
  const payBatch = async (items: bigint[]) =>
    (await gasOf(send(distributor, "payBatch", [items, CENT_WEI], payer))) / items.length;
  const pay = (id: bigint) => gasOf(send(distributor, "pay", [id, AMOUNT_WEI, CENT_WEI], payer));

  const buyers = accounts(1_000, BATCH);
  const toNew = await payBatch(await prepare(ids(1_000, BATCH), buyers));
  const toExisting = await payBatch(await prepare(ids(2_000, BATCH), buyers));
  const sparse = ids(0, BATCH).map((index) => 20_000n + index * SPARSE_STEP);
  const toExistingSparse = await payBatch(await prepare(sparse, buyers));
  await prepare([10n, 11n, 90_000n], buyers.slice(0, 3));
  const largest = accounts(60_000, LARGEST_BATCH);
  const payLargestNew = await gasOf(
    send(distributor, "payBatch", [await prepare(ids(40_192, LARGEST_BATCH), largest), CENT_WEI], payer),
  );
  const hostile = accounts(70_000, LARGEST_BATCH);
  const code = await ethers.provider.getCode(await (await ethers.deployContract("LoopingReceiver")).getAddress());
  for (const address of hostile) await networkHelpers.setCode(address, code);
  const payLargestHostile = await gasOf(
    send(distributor, "payBatch", [await prepare(ids(50_176, LARGEST_BATCH), hostile), CENT_WEI], payer),
  );
  expectPositive(await read(distributor, "spentToday"));
  const payStrict = (await pay(10n)) && (await pay(11n));
  const payStrictFirstOf256 = await pay(90_000n);
  // Retires the distributor that all others were paid from.
  const worst = accounts(80_000, LARGEST_BATCH);
  for (const address of worst) await networkHelpers.setCode(address, code);
  const scattered = ids(1_000, LARGEST_BATCH).map((word) => word * WORD_OF_PAID_BITS);
  const items = await prepare(scattered, worst);
  const third = await thirdGeneration(system);
  const payLargestScatteredHostile = await gasOf(send(third, "payBatch", [items, CENT_WEI], payer));
  expectPositive(await read(third, "totalCredit"));
  return {
    payBatchExisting: toExisting,
    payBatchExistingSparse: toExistingSparse,
    payBatchNew: toNew,
    payLargestNew,
    payLargestHostile,
    payLargestScatteredHostile,
    payStrict,
    payStrictFirstOf256,
  };
}

/** A distributor that reads each word of paid bits through two predecessors. */
export async function thirdGeneration({ admin, payer, nftAddress, distributor }: System): Promise<BaseContract> {
  let newest: BaseContract = distributor;
  for (let generation = 2; generation <= 3; generation++) {
    await send(newest, "retire", [], admin);
    const args = [admin.address, 0, nftAddress, NO_LIMITS, await newest.getAddress()];
    newest = await ethers.deployContract("CashbackDistributor", args);
    await send(newest, "grantRole", [await read<string>(newest, "PAYER_ROLE"), payer.address], admin);
  }
  await admin.sendTransaction({ to: await newest.getAddress(), value: 10n ** 21n });
  return newest;
}

function expectPositive(value: bigint): void {
  if (value <= 0n) throw new Error("Nothing was paid: the figures would mean nothing");
}

/** The same work by other implementations, measured in the same run. */
export async function measureBaselines(tokenJson: string): Promise<Record<string, number>> {
  const [signer] = await ethers.getSigners();
  if (!signer) throw new Error("no signer");
  const bare = await ethers.deployContract("BareMint");
  const uri = await ethers.deployContract("UriStorageMint");
  const naive = await ethers.deployContract("NaivePayout");
  const disperse = await ethers.deployContract("BareDisperse");
  await signer.sendTransaction({ to: await naive.getAddress(), value: 3n * 10n ** 21n });
  const [fresh, known] = [accounts(5_000, BATCH), accounts(5_000, BATCH)];
  const amounts = fresh.map(() => AMOUNT_WEI);
  const batches = async (to: string[], from: number) => ({
    naive: (await gasOf(send(naive, "payBatch", [ids(from, BATCH), to, amounts]))) / BATCH,
    disperse:
      (await gasOf(
        disperse.getFunction("disperse").send(accounts(from, BATCH), amounts, { value: AMOUNT_WEI * BigInt(BATCH) }),
      )) / BATCH,
  });
  const first = await batches(fresh, 7_000);
  const second = await batches(known, 8_000);
  const again =
    (await gasOf(disperse.getFunction("disperse").send(known, amounts, { value: AMOUNT_WEI * BigInt(BATCH) }))) / BATCH;
  return {
    bareMintNewBuyer: await gasOf(send(bare, "mint", [account(0), 1n])),
    bareMintReturningBuyer: await gasOf(send(bare, "mint", [account(0), 2n])),
    uriStorageMint: await gasOf(send(uri, "mint", [account(0), 1n, tokenJson])),
    disperseExisting: again,
    disperseNew: first.disperse,
    naiveBatchExisting: second.naive,
    naiveBatchNew: first.naive,
    naiveStrict: await gasOf(send(naive, "pay", [99_999n, account(5_000), AMOUNT_WEI])),
  };
}
