import { signInSentence } from "../../../core/rules/session.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { parseJson } from "../../api/http.ts";
import { deployment } from "../../app/deployment.ts";
import { readStored, STORAGE_KEYS } from "../../app/storage.ts";
import { INTERNAL, INVALID_PARAMETERS, UNAUTHORIZED, UNKNOWN_CHAIN, UNSUPPORTED } from "../errors.ts";
import { PASSKEY_WALLET } from "../local-wallets.ts";
import { ProviderError } from "../provider-error.ts";
import { approved, wallet } from "./approval.ts";
import { keptWallet } from "./kept.ts";

export type Request = { method: string; params?: unknown };

/** What the node may be asked for this wallet. */
const READS =
  /^(?:net_version|eth_(?:blockNumber|call|estimateGas|gasPrice|maxPriorityFeePerGas|feeHistory|getBalance|getBlockByNumber|getCode|getTransactionByHash|getTransactionCount|getTransactionReceipt))$/;

/** One EIP-1193 request of the wallet that this browser knows. @throws ProviderError with the wallet's code */
export async function answer(request: Request): Promise<unknown> {
  const [first, second] = Array.isArray(request.params) ? (request.params as unknown[]) : [];
  switch (request.method) {
    case "eth_chainId":
      return CHAIN_ID;
    case "eth_accounts":
      return isChosen || wasChosen() ? accounts() : [];
    case "eth_requestAccounts":
      isChosen = true;
      return [wallet().address];
    case "wallet_requestPermissions":
      isChosen = true;
      return [
        {
          parentCapability: "eth_accounts",
          caveats: [{ type: "restrictReturnedAccounts", value: [wallet().address] }],
        },
      ];
    case "wallet_revokePermissions":
      isChosen = false;
      return null;
    case "wallet_switchEthereumChain":
    case "wallet_addEthereumChain":
      return switchTo(first);
    case "eth_sendTransaction":
      return (await import("./sending.ts")).sendTransaction(first);
    case "personal_sign":
      return signMessage(first, second);
    default:
      if (!READS.test(request.method)) throw new ProviderError(UNSUPPORTED, `${request.method} is not supported.`);
      return forward(request);
  }
}

/** Whether the user chose this wallet, in this page or before. */
let isChosen = false;
const wasChosen = () => readStored(STORAGE_KEYS.recentConnector)?.includes(PASSKEY_WALLET) === true;

function accounts(): string[] {
  const kept = keptWallet();
  return kept ? [kept.address] : [];
}

const CHAIN_ID = `0x${deployment.chain_id.toString(16)}`;

/** It has one network, and is always there. */
function switchTo(chain: unknown): null {
  const isOurs =
    typeof chain === "object" && chain !== null && "chainId" in chain && Number(chain.chainId) === deployment.chain_id;
  if (!isOurs) throw new ProviderError(UNKNOWN_CHAIN, "This wallet knows one network only.");
  return null;
}

async function signMessage(data: unknown, address: unknown): Promise<string> {
  const of = wallet();
  if (typeof data !== "string" || typeof address !== "string")
    throw new ProviderError(INVALID_PARAMETERS, "Invalid parameters.");
  if (address.toLowerCase() !== of.address) throw new ProviderError(UNAUTHORIZED, "Unauthorized account.");
  const bytes = bytesOf(data);
  const text = readable(bytes);
  const site = /^(\S+) wants you to sign in with your Ethereum account:/.exec(text)?.[1];
  if (site !== undefined && site !== location.host) {
    throw new ProviderError(UNAUTHORIZED, `This message signs in to ${site}, and this page is ${location.host}.`);
  }
  return approved({
    of,
    title: site === undefined ? "passkey.sign" : titleOf(text, of.address),
    detail: text,
    work: { kind: "message", message: `0x${hexOf(bytes)}` },
  });
}

/** Whoever erases an account is not told that they sign in: the line of its own in a challenge says what it is for. */
function titleOf(challenge: string, address: WalletAddress) {
  const lines = challenge.split("\n");
  if (lines.includes(signInSentence("erase", address))) return "passkey.signErase";
  return lines.includes(signInSentence("email", address)) ? "passkey.signEmail" : "passkey.signIn";
}

/** Hexadecimal as wallets are given it, or plain text. */
const bytesOf = (data: string): Uint8Array =>
  /^0x(?:[0-9a-f]{2})*$/i.test(data)
    ? Uint8Array.from(data.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : new TextEncoder().encode(data);

const hexOf = (bytes: Uint8Array): string => [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");

/** Something that draws: a letter, figure or sign, but for those that are blank by themselves. */
const VISIBLE = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u;

/** What cannot be shown in words is not signed: control characters, changed directions of writing, plain bytes, blanks. */
function readable(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!/[^\P{C}\n]/u.test(text) && VISIBLE.test(text)) return text;
  } catch {
    // Not UTF-8.
  }
  throw new ProviderError(INVALID_PARAMETERS, "Only text is signed.");
}

type NodeAnswer = { result?: unknown; error?: { code: number; message: string } };

/** As viem's transport, which would be loaded by every page that signs in. */
const ANSWER_MS = 10_000;

/** Asks the node. @throws ProviderError with its code */
async function forward({ method, params = [] }: Request): Promise<unknown> {
  const response = await fetch(deployment.rpc_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const node = parseJson<NodeAnswer>(await response.text());
  if (!node) throw new ProviderError(INTERNAL, "The node did not respond with JSON.");
  if (node.error) throw new ProviderError(node.error.code, node.error.message);
  return node.result;
}
