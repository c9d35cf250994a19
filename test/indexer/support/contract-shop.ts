import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  type Hex,
  http,
  keccak256,
  parseEther,
  toHex,
  zeroAddress,
} from "viem";
import { cashbackDistributorAbi } from "../../../core/chain/generated/cashback-distributor.ts";
import { cashbackDistributorBytecode } from "../../../core/chain/generated/cashback-distributor-bytecode.ts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import { purchaseNftBytecode } from "../../../core/chain/generated/purchase-nft-bytecode.ts";
import { ticketDescriptorBytecode } from "../../../core/chain/generated/ticket-descriptor-bytecode.ts";
import { toWalletAddress } from "../../../core/rules/wallet-address.ts";
import type { Anvil } from "../../testing/anvil.ts";

export const RATE = 10n ** 16n;
export const LIMITS = { maxWeiPerCent: RATE, maxPayout: parseEther("1000"), dailyCap: parseEther("5000") };
export const DELAY_SECONDS = 0;
export const roleId = (role: string) => keccak256(toHex(role));

type Read = (functionName: string, ...args: unknown[]) => Promise<unknown>;

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** The new pair, with everybody who acts. Every account of the node is unlocked. */
export async function openShop(anvil: Anvil) {
  const client = createPublicClient({ transport: http(anvil.rpcUrl), pollingInterval: 20 });
  const [admin, minter, confirmer, payer, treasurer, buyer, other, next] =
    await anvil.request<Address[]>("eth_accounts");
  if (!admin || !minter || !confirmer || !payer || !treasurer || !buyer || !other || !next)
    throw new Error("no accounts");
  const people = { admin, minter, confirmer, payer, treasurer, buyer, other, next };
  const wallet = createWalletClient({ transport: http(anvil.rpcUrl) });
  const mined = async (hash: Hex) => {
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`The transaction ${hash} failed`);
    return receipt;
  };
  const create = async (abi: Abi, bytecode: Hex, args: unknown[]) => {
    const data = encodeDeployData({ abi, bytecode, args });
    const { contractAddress } = await mined(await wallet.sendTransaction({ account: admin, chain: null, data }));
    if (!contractAddress) throw new Error("not created");
    return at(contractAddress, abi);
  };
  const at = (address: Address, abi: Abi) => ({
    address,
    send: async (functionName: string, args: unknown[], account: Address = admin) =>
      mined(await wallet.writeContract({ account, chain: null, address, abi, functionName, args, gas: 5_000_000n })),
    read: (async (functionName, ...args) => client.readContract({ address, abi, functionName, args })) as Read,
  });
  const tickets = (descriptor: Address, former: Address) =>
    create(purchaseNftAbi as Abi, purchaseNftBytecode, [
      admin,
      DELAY_SECONDS,
      "https://shop.example",
      descriptor,
      former,
    ]);
  const payOut = (nft: Address, limits: typeof LIMITS, former: Address) =>
    create(cashbackDistributorAbi as Abi, cashbackDistributorBytecode, [admin, DELAY_SECONDS, nft, limits, former]);
  const drawing = await create([], ticketDescriptorBytecode, []);
  const nft = await tickets(drawing.address, zeroAddress);
  const distributor = await payOut(nft.address, LIMITS, zeroAddress);
  const pay = async (to: Address, value: bigint) =>
    mined(await wallet.sendTransaction({ account: admin, chain: null, to, value }));
  const source = {
    chainId: 88_882,
    purchaseNft: toWalletAddress(nft.address),
    cashbackDistributor: toWalletAddress(distributor.address),
    startBlock: 0,
  };
  return { client, people, create, tickets, payOut, pay, drawing, nft, distributor, source };
}
