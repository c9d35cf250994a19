import { encodeFunctionData } from "viem";
import type { Contracts } from "../chain/deployment.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import type { Encoder } from "../sender/encoder.ts";
import { later, never, numbersOf, refusalOf, refusalOfContract } from "../sender/refusal.ts";

const GAS_LIMIT = 210_000n;

/** How store names become contract calls, one by one. */
export function storeEncoders(contracts: Contracts): Encoder[] {
  return [storeEncoder("register_store", contracts), storeEncoder("rename_store", contracts)];
}

function storeEncoder(kind: "register_store" | "rename_store", { purchaseNft }: Contracts): Encoder {
  return {
    kind,
    largestBatch: 1,
    async encode(queries, operations) {
      const storeId = operations[0]?.subject_id ?? 0n;
      const { name } = await queries
        .selectFrom("stores")
        .select("name")
        .where("id", "=", storeId)
        .executeTakeFirstOrThrow();
      const functionName = kind === "register_store" ? "registerStore" : "renameStore";
      return {
        to: purchaseNft,
        data: encodeFunctionData({ abi: purchaseNftAbi, functionName, args: [Number(storeId), name] }),
        gasLimit: GAS_LIMIT,
      };
    },
    async readRefusal(_queries, revert, operations) {
      const [storeId] = numbersOf(revert);
      if (revert.name === "StoreAlreadyRegistered") return refusalOf(operations, storeId, { kind: "done" });
      if (revert.name === "InvalidStoreName") return { atFault: operations, verdict: never(revert) };
      if (revert.name !== "UnknownStore") return refusalOfContract(revert);
      return {
        atFault: operations,
        verdict: later("store_unknown", revert),
        prerequisite: { kind: "register_store", subjectId: storeId ?? 0n },
      };
    },
  };
}
