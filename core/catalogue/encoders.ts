import { encodeFunctionData } from "viem";
import type { Contracts } from "../chain/deployment.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";
import type { Queries } from "../database/transaction.ts";
import { NO_LOOK } from "../rules/clubs/ticket-look.ts";
import type { Encoder } from "../sender/encoder.ts";
import { refusalOf } from "../sender/refusals.ts";
import { wantedLook } from "./chain-looks.ts";
import type { ReadName } from "./chain-names.ts";

/**
 * Upper bounds on gas, at least a fifth above what the contract needs; unused gas is not charged.
 * `test/contracts/gas-limits.test.ts` measures it.
 */
const GAS = {
  name: 180_000n,
  /** The contract looks each character up among marks and invisible characters. */
  character: 13_000n,
  /** Storage: 32 bytes a slot. */
  byte: 1_400n,
} as const;

export const LOOK_GAS = 90_000n;

export function gasLimitOf(name: string): bigint {
  return GAS.name + BigInt([...name].length) * GAS.character + BigInt(Buffer.byteLength(name)) * GAS.byte;
}

/** Encodes the registration, renaming and look of stores, one per transaction. */
export function storeEncoders(contracts: Contracts, readName: ReadName): Encoder[] {
  return [
    storeEncoder("register_store", contracts, readName),
    storeEncoder("rename_store", contracts, readName),
    lookEncoder(contracts, readName),
  ];
}

/** What the store looks like when it is sent: a club that changed meanwhile is not sent twice. */
function lookEncoder({ purchaseNft }: Contracts, readName: ReadName): Encoder {
  return {
    kind: "set_store_look",
    largestBatch: 1,
    async encode(queries, operations) {
      const storeId = operations[0]?.subject_id ?? 0n;
      const { first, second, pattern } = (await wantedLook(queries, storeId)) ?? NO_LOOK;
      const args = [Number(storeId), first, second, pattern] as const;
      return {
        to: purchaseNft,
        data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "setStoreLook", args }),
        gasLimit: LOOK_GAS,
      };
    },
    canChange: true,
    readRefusal: refusalOfStore(readName),
  };
}

function storeEncoder(
  kind: "register_store" | "rename_store",
  { purchaseNft }: Contracts,
  readName: ReadName,
): Encoder {
  const encode: Encoder["encode"] = async (queries, operations) => {
    const storeId = operations[0]?.subject_id ?? 0n;
    const name = await nameOf(queries, storeId);
    const functionName = kind === "register_store" ? "registerStore" : "renameStore";
    return {
      to: purchaseNft,
      data: encodeFunctionData({ abi: purchaseNftAbi, functionName, args: [Number(storeId), name] }),
      gasLimit: gasLimitOf(name),
    };
  };
  return {
    kind,
    largestBatch: 1,
    encode,
    // A store renamed while its former name is in flight is renamed again.
    canChange: true,
    readRefusal: refusalOfStore(readName),
  };
}

function refusalOfStore(readName: ReadName): Encoder["readRefusal"] {
  return async (queries, revert, operations) => {
    const subjectId = BigInt(Number(revert.args[0] ?? 0));
    switch (revert.name) {
      case "StoreAlreadyRegistered": {
        const refusal = refusalOf(revert, operations, "done");
        // Registered, but possibly under another store's name.
        const isMisnamed = (await readName(subjectId)) !== (await nameOf(queries, subjectId));
        return isMisnamed ? { ...refusal, prerequisite: { kind: "rename_store", subjectId } } : refusal;
      }
      case "InvalidStoreName":
        return refusalOf(revert, operations, "never", operations);
      case "UnknownStore": {
        const refusal = refusalOf(revert, operations, "store_unknown", operations);
        return { ...refusal, prerequisite: { kind: "register_store", subjectId } };
      }
      default:
        return refusalOf(revert, operations);
    }
  };
}

async function nameOf(queries: Queries, storeId: bigint): Promise<string> {
  const store = await queries.selectFrom("stores").select("name").where("id", "=", storeId).executeTakeFirstOrThrow();
  return store.name;
}
