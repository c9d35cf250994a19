import { setTimeout as delay } from "node:timers/promises";
import { encodeFunctionData, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import type { Me } from "../../../core/rules/api/people.ts";
import { Shopper } from "../../testing/shopper.ts";
import { until } from "../../testing/until.ts";
import { BASE_FEE_WEI, type SpicyChain } from "./chain.ts";

/** The manual steps of the page: the founders' wallets, the faucet, and a buyer. */
export type Hands = {
  adminWallet: string;
  multisig: string;
  treasurer: string;
  pauser: string;
  send(to: string, wei: bigint): Promise<void>;
  /** Registers, signs in and visits the first store; returns the click. */
  visit(): Promise<string>;
  until(what: string, isSo: (me: Me) => boolean): Promise<void>;
};

export type DeployedRecord = Record<"purchaseNft" | "cashbackDistributor", { address: `0x${string}` }>;

const SHOPPING_MS = 6_000;
const BLOCKS_A_LOOK = "0x2";
const DELAY_OVER_S = 3_700;
/** Named, because anvil's own proposal follows the base fee of mined empty blocks, which is below the chain's floor. */
const FEES = { maxFeePerGas: `0x${(2n * BASE_FEE_WEI).toString(16)}`, maxPriorityFeePerGas: "0x1" };

export async function startHands(chain: SpicyChain, shop: string): Promise<Hands> {
  const [faucet = ""] = await chain.request<string[]>("eth_accounts");
  const someone = () => privateKeyToAddress(generatePrivateKey());
  const buyer = new Shopper(shop);
  /** Mines blocks in between: a rehearsal does not wait 90 seconds for thirty confirmations. */
  const patiently = <T>(what: string, attempt: () => Promise<T>): Promise<T> =>
    until(what, async () => {
      await chain.request("anvil_mine", BLOCKS_A_LOOK, "0x1");
      return attempt();
    });
  return {
    adminWallet: someone(),
    multisig: someone(),
    treasurer: someone(),
    pauser: someone(),
    send: (to, wei) => mined(chain, { from: faucet, to, value: `0x${wei.toString(16)}` }),
    async visit() {
      await buyer.signUp();
      const click = await patiently("the store is on the chain", () => buyer.visit(1));
      // A purchase within seconds of the click would be held for review.
      await delay(SHOPPING_MS);
      return click;
    },
    until: async (what, isSo) => {
      await patiently(what, async () => {
        const me = await buyer.me();
        if (!isSo(me)) throw new Error(JSON.stringify(me));
        return true;
      });
    },
  };
}

/** The multisig accepts the admin role once the delay is over. */
export async function handOver(chain: SpicyChain, record: DeployedRecord, { multisig, send }: Hands): Promise<void> {
  await send(multisig, 10n ** 19n);
  await chain.request("evm_increaseTime", DELAY_OVER_S);
  await chain.request("anvil_mine", "0x1");
  await chain.request("anvil_impersonateAccount", multisig);
  for (const { address } of [record.purchaseNft, record.cashbackDistributor]) {
    const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "acceptDefaultAdminTransfer" });
    await mined(chain, { from: multisig, to: address, data });
  }
}

/** Sends a transaction and mines until it is in a block: one that has just been sent can miss the next. */
async function mined(chain: SpicyChain, transaction: { from: string; to: string; value?: Hex; data?: Hex }) {
  const hash = await chain.request("eth_sendTransaction", { ...transaction, ...FEES });
  const { status } = await until(`${hash} is mined`, async () => {
    await chain.request("anvil_mine", "0x1");
    return chain.request<{ status: Hex } | null>("eth_getTransactionReceipt", hash);
  });
  if (status !== "0x1") throw new Error(`${hash} reverted`);
}
