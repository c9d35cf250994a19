import { encodeAbiParameters, encodeFunctionData, erc20Abi, pad } from "viem";
import { type ScriptedNode, startScriptedNode } from "../../indexer/support/scripted-node.ts";

export type CodeLiar = ScriptedNode & {
  /** From now on it says that this address is a contract that accepts every signature. */
  vouchFor(address: string): void;
  /** From now on it says that every wallet holds so many tokens of any contract. */
  enrich(units: bigint): void;
  /** Whether it answers at all. */
  isSilent: boolean;
};

const MAGIC = "0x1626ba7e";
const IS_VALID_SIGNATURE = "0x1626ba7e";
const BALANCE_OF = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [pad("0x1", { size: 20 })] });

/** A node of our chain that tells the truth about everything but code, contracts' signatures and balances. */
export async function startCodeLiar(target: string): Promise<CodeLiar> {
  const vouched = new Set<string>();
  let units: bigint | undefined;
  const node = await startScriptedNode(target, ({ method, params }) => {
    if (liar.isSilent) return { status: 503 };
    const [first] = params as [{ to?: string; data?: string; input?: string } | string];
    if (method === "eth_getCode" && typeof first === "string" && vouched.has(first.toLowerCase())) {
      return { result: "0x60006000f3" };
    }
    if (method !== "eth_call" || typeof first === "string") return undefined;
    const data = first.data ?? first.input ?? "";
    if (data.startsWith(IS_VALID_SIGNATURE) && vouched.has(first.to?.toLowerCase() ?? "")) {
      return { result: encodeAbiParameters([{ type: "bytes4" }], [MAGIC]) };
    }
    if (data.startsWith(BALANCE_OF.slice(0, 10)) && units !== undefined) {
      return { result: encodeAbiParameters([{ type: "uint256" }], [units]) };
    }
    return undefined;
  });
  const liar: CodeLiar = Object.assign(node, {
    isSilent: false,
    vouchFor: (address: string) => void vouched.add(address.toLowerCase()),
    enrich: (more: bigint) => {
      units = more;
    },
  });
  return liar;
}
