import {
  decodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  hashMessage,
  isAddressEqual,
  isErc6492Signature,
  recoverMessageAddress,
} from "viem";
import type { Agreed, EveryNode, Question } from "../../core/process/rpc/every-node.ts";
import type { Said } from "../../core/process/rpc/node-voice.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const EIP_1271_ABI = [
  {
    type: "function",
    name: "isValidSignature",
    stateMutability: "view",
    inputs: [
      { name: "hash", type: "bytes32" },
      { name: "signature", type: "bytes" },
    ],
    outputs: [{ name: "", type: "bytes4" }],
  },
] as const;
const EIP_1271_MAGIC = "0x1626ba7e";
/** What the universal validator of ERC-6492 answers to a valid signature. */
const ERC_6492_VALID = "0x01";
/** EIP-7702: a wallet with a key, whose code is somebody else's. */
export const DELEGATION = "0xef0100";

/** The wallet's own key signed, which this process has computed itself. */
class OwnKey {
  readonly kind = "key";
  readonly #recovered = true;
  get isRecovered(): boolean {
    return this.#recovered;
  }
}

export type Consent = { kind: "contract" | "contract_before_deployment" };
/** Who lets a wallet in: its key, or its contract by the word of every node. A node's claim is neither. */
export type Signer = OwnKey | Agreed<Consent>;

type Signed = { wallet: WalletAddress; message: string; signature: Hex };

/**
 * The signer, if the wallet's own key signed: one form of each signature, of 65 bytes, low s; `v` is 27 or 28, or the 0 or
 * 1 of a Ledger. docs/product.md#sign-in-signature
 */
export async function ownKeyOf({ wallet, message, signature }: Signed): Promise<Signer | undefined> {
  if (signature.length !== 132) return undefined;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const given = Number.parseInt(signature.slice(130), 16);
  const v = given < 2 ? given + 27 : given;
  if (s > HALF_ORDER || (v !== 27 && v !== 28)) return undefined;
  try {
    const normal: Hex = `0x${signature.slice(2, 130)}${v.toString(16)}`;
    const signer = await recoverMessageAddress({ message, signature: normal });
    return isAddressEqual(signer, wallet) ? new OwnKey() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The signer, if every node says that the wallet's contract accepts the signature (EIP-1271), or would once it is deployed
 * (ERC-6492). `mustHaveCode`: only a contract that is there, and no delegation of a key.
 * @throws NoAgreementError unless the nodes agree
 */
export async function contractOf(
  everyNode: EveryNode,
  { wallet, message, signature }: Signed,
  { mustHaveCode, ...question }: Question & { mustHaveCode: boolean },
): Promise<Signer | undefined> {
  const hash = hashMessage(message);
  if (isErc6492Signature(signature)) {
    if (mustHaveCode) return undefined;
    const data = encodeDeployData({
      abi: erc6492SignatureValidatorAbi,
      args: [wallet, hash, signature],
      bytecode: erc6492SignatureValidatorByteCode,
    });
    const said = await everyNode.agreed(question, [{ data }]);
    return said.value[0] === ERC_6492_VALID ? said.map(() => ({ kind: "contract_before_deployment" })) : undefined;
  }
  const data = encodeFunctionData({
    abi: EIP_1271_ABI,
    functionName: "isValidSignature",
    args: [hash, signature],
  });
  const said = await everyNode.agreed(question, [{ to: wallet, data }, { codeOf: wallet }]);
  const [answer = null, code = null] = said.value;
  const isThere = code !== null && code !== "0x" && !(mustHaveCode && code.startsWith(DELEGATION));
  return isThere && isMagic(answer) ? said.map(() => ({ kind: "contract" })) : undefined;
}

function isMagic(answer: Said): boolean {
  if (answer === null || answer.length !== 66) return false;
  try {
    return decodeAbiParameters([{ type: "bytes4" }], answer)[0] === EIP_1271_MAGIC;
  } catch {
    return false;
  }
}
