import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../core/chain/chains.ts";
import { type Deployment, findDeployment } from "../../core/chain/deployment.ts";
import { build } from "../../core/chain/generated/build.ts";
import { SAMPLE_STORES } from "../../core/rules/catalogue-samples.ts";
import { roleId } from "../../scripts/deploy/roles.ts";
import type { Anvil } from "../testing/anvil.ts";

type Compiled = { abi: Abi; bytecode: Hex };

/** What 1.0.0 deployed, as its repository had it compiled. */
export const FIRST: Record<"PurchaseNFT" | "CashbackDistributor" | "TicketDescriptor", Compiled> = JSON.parse(
  gunzipSync(readFileSync(join(import.meta.dirname, "release-1.0/contracts.json.gz"))).toString(),
);

const NOBODY: Address = `0x${"0".repeat(40)}`;
const CENT_WEI = 10n ** 16n;
const CHZ = 10n ** 18n;
const LIMITS = { maxWeiPerCent: 4n * CENT_WEI, maxPayout: 1_000_000n * CHZ, dailyCap: 100_000_000n * CHZ };
const POOL: Hex = `0x${(250_000n * CHZ).toString(16)}`;

const MUCH: Hex = `0x${(1_000_000n * CHZ).toString(16)}`;

/**
 * A chain with the pair, roles, stores and funds that 1.0.0's deployment made, and its record in `directory`, as 1.0.0
 * wrote it.
 */
export async function deployFirstPair(
  anvil: Anvil,
  directory: string,
  { adminKey, operator }: { adminKey: Hex; operator: Address },
): Promise<Deployment> {
  const account = privateKeyToAccount(adminKey);
  const client = createPublicClient({ chain: spicy, transport: http(anvil.rpcUrl), pollingInterval: 20 });
  const wallet = createWalletClient({ account, chain: spicy, transport: http(anvil.rpcUrl) });
  const mined = async (request: { to?: Address; data: Hex }) => {
    const receipt = await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction(request) });
    if (receipt.status !== "success") throw new Error(`${receipt.transactionHash} failed`);
    return receipt;
  };
  const create = async ({ abi, bytecode }: Compiled, args: readonly unknown[] = []) => {
    const data = abi ? encodeDeployData({ abi, bytecode, args: [...args] }) : bytecode;
    const { contractAddress, transactionHash, blockNumber } = await mined({ data });
    return { address: contractAddress ?? NOBODY, transaction: transactionHash, block: Number(blockNumber) };
  };
  const call = (to: Address, { abi }: Compiled, functionName: string, args: readonly unknown[]) =>
    mined({ to, data: encodeFunctionData({ abi, functionName, args: [...args] }) });

  const { block: _, ...ticketDescriptor } = await create(FIRST.TicketDescriptor);
  const nftArguments = [account.address, 0, "http://localhost:3000", ticketDescriptor.address];
  const { block, ...purchaseNft } = await create(FIRST.PurchaseNFT, nftArguments);
  const { block: __, ...distributor } = await create(FIRST.CashbackDistributor, [
    ...[account.address, 0, purchaseNft.address, LIMITS, NOBODY],
  ]);
  for (const role of ["MINTER_ROLE", "CONFIRMER_ROLE", "CATALOGUE_ROLE", "PAUSER_ROLE"])
    await call(purchaseNft.address, FIRST.PurchaseNFT, "grantRole", [roleId(role), operator]);
  for (const role of ["PAYER_ROLE", "TREASURER_ROLE", "PAUSER_ROLE"])
    await call(distributor.address, FIRST.CashbackDistributor, "grantRole", [roleId(role), operator]);
  await call(purchaseNft.address, FIRST.PurchaseNFT, "grantRole", [roleId("CATALOGUE_ROLE"), account.address]);
  for (const [index, { name }] of SAMPLE_STORES.entries())
    await call(purchaseNft.address, FIRST.PurchaseNFT, "registerStore", [index + 1, name]);
  await call(purchaseNft.address, FIRST.PurchaseNFT, "revokeRole", [roleId("CATALOGUE_ROLE"), account.address]);
  await anvil.request("anvil_setBalance", distributor.address, POOL);
  for (const address of [operator, account.address]) await anvil.request("anvil_setBalance", address, MUCH);

  const limits = Object.fromEntries(Object.entries(LIMITS).map(([name, wei]) => [name, String(wei)]));
  const record = {
    ...{ network: "localhost", chainId: spicy.id, block, deployer: account.address, ticketDescriptor },
    purchaseNft: { ...purchaseNft, constructorArguments: nftArguments },
    cashbackDistributor: {
      ...distributor,
      constructorArguments: [account.address, 0, purchaseNft.address, limits, NOBODY],
    },
    ...{ formerDistributors: [], build, fanTokens: [] },
  };
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "localhost.json"), JSON.stringify(record));
  return readRecord(directory);
}

/** A record as the processes read it. */
export function readRecord(directory: string): Deployment {
  const before = process.env.DEPLOYMENTS_DIR;
  process.env.DEPLOYMENTS_DIR = directory;
  try {
    const record = findDeployment("localhost");
    if (!record) throw new Error(`${directory} has no record`);
    return record;
  } finally {
    if (before === undefined) delete process.env.DEPLOYMENTS_DIR;
    else process.env.DEPLOYMENTS_DIR = before;
  }
}
