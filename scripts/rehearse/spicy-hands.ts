import { setTimeout as delay } from "node:timers/promises";
import { encodeFunctionData, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import { checkUserResponseSchema, type Me, meResponseSchema, registerResponseSchema } from "../../domain/api/people.ts";
import { registerPurchaseResponseSchema } from "../../domain/api/purchases.ts";
import type { DeployedRecord } from "./spicy.ts";
import { BASE_FEE_WEI, type SpicyChain } from "./spicy-chain.ts";

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

const receiptSchema = z.object({ status: z.string() }).nullable();

const PATIENCE_MS = 120_000;
const SHOPPING_MS = 6_000;
const BLOCKS_A_LOOK = 2;
const DELAY_OVER_S = 3_700;
/** Named, because anvil's own proposal follows the base fee of mined empty blocks, which is below the chain's floor. */
const FEES = { maxFeePerGas: `0x${(2n * BASE_FEE_WEI).toString(16)}`, maxPriorityFeePerGas: "0x1" };

export async function startHands(chain: SpicyChain, shop: string): Promise<Hands> {
  const [faucet = ""] = z.array(z.string()).parse(await chain.request("eth_accounts"));
  const someone = () => privateKeyToAddress(generatePrivateKey());
  const buyer = privateKeyToAccount(generatePrivateKey());
  let token = "";
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${shop}${path}`, {
      method,
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  /** Retries, and mines blocks in between: a rehearsal does not wait 90 seconds for thirty confirmations. */
  const patiently = async <T>(what: string, attempt: () => Promise<T>): Promise<T> => {
    for (const deadline = Date.now() + PATIENCE_MS; ; ) {
      try {
        return await attempt();
      } catch (error) {
        if (Date.now() > deadline) throw new Error(`Not within ${PATIENCE_MS / 1_000} s: ${what}; ${error}`);
      }
      await chain.request("anvil_mine", `0x${BLOCKS_A_LOOK.toString(16)}`, "0x1");
      await delay(500);
    }
  };
  return {
    adminWallet: someone(),
    multisig: someone(),
    treasurer: someone(),
    pauser: someone(),
    async send(to, wei) {
      await mined(chain, { from: faucet, to, value: `0x${wei.toString(16)}` });
    },
    async visit() {
      const address = buyer.address.toLowerCase();
      const { challenge } = checkUserResponseSchema.parse(await call("POST", "/api/check-user", { address }));
      const { message, nonce } = challenge;
      const signature = await buyer.signMessage({ message });
      const person = { first_name: "Ana", last_name: "Silva", email: "ana@example.com" };
      const registered = await call("POST", "/api/register-user-data", { address, ...person, signature, nonce });
      token = registerResponseSchema.parse(registered).token;
      const visited = await patiently("the store is on the chain", () =>
        call("POST", "/api/register-purchase", { user: address, store_id: 1, amount: 100 }),
      );
      // A purchase within seconds of the click would be held for review.
      await delay(SHOPPING_MS);
      const { click } = registerPurchaseResponseSchema.parse(visited);
      if (!click) throw new Error("The visit was not registered");
      return click.id;
    },
    until: async (what, isSo) => {
      await patiently(what, async () => {
        const { data } = meResponseSchema.parse(await call("GET", "/api/me"));
        if (!isSo(data)) throw new Error(JSON.stringify(data));
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
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    await chain.request("anvil_mine", "0x1");
    const receipt = receiptSchema.parse(await chain.request("eth_getTransactionReceipt", hash));
    if (receipt?.status === "0x1") return;
    if (receipt) throw new Error(`${hash} reverted`);
    await delay(200);
  }
  throw new Error(`${hash} is not mined`);
}
