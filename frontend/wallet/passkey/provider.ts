import { hexToBytes, isHex } from "viem";
import { parseJson } from "../../api/http.ts";
import { deployment } from "../../app/deployment.ts";
import { readStored, STORAGE_KEYS } from "../../app/storage.ts";
import { loadPasskeyTexts, inPageLanguage as t } from "../../i18n/language.tsx";
import { askConsent } from "../consent.ts";
import { REJECTED, REQUEST_PENDING, UNKNOWN_CHAIN } from "../errors.ts";
import { ProviderError } from "../provider-error.ts";
import { keptWallet, type PasskeyWallet } from "./kept.ts";
import { doWithPasskey, PasskeyError } from "./passkey.ts";
import { PASSKEY_WALLET } from "./support.ts";
import type { Work } from "./work.ts";

type Request = { method: string; params?: unknown };
type NodeAnswer = { result?: unknown; error?: { code: number; message: string } };

const INVALID = -32602;
const INTERNAL = -32603;
const UNAUTHORIZED = 4100;
const UNSUPPORTED = 4200;

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

function wallet(): PasskeyWallet {
  const kept = keptWallet();
  if (!kept) throw new ProviderError(UNAUTHORIZED, "No passkey wallet was opened in this browser.");
  return kept;
}

/** It has one network, and is always there. */
function switchTo(chain: unknown): null {
  const isOurs =
    typeof chain === "object" && chain !== null && "chainId" in chain && Number(chain.chainId) === deployment.chain_id;
  if (!isOurs) throw new ProviderError(UNKNOWN_CHAIN, "This wallet knows one network only.");
  return null;
}

async function signMessage(data: unknown, address: unknown): Promise<string> {
  const { address: own } = wallet();
  if (typeof data !== "string" || typeof address !== "string") throw new ProviderError(INVALID, "Invalid parameters.");
  if (address.toLowerCase() !== own) throw new ProviderError(UNAUTHORIZED, "Unauthorized account.");
  const message = isHex(data) ? data : (`0x${hexOf(new TextEncoder().encode(data))}` as const);
  const text = readable(hexToBytes(message));
  const site = /^(\S+) wants you to sign in with your Ethereum account:/.exec(text)?.[1];
  if (site !== undefined && site !== location.host) {
    throw new ProviderError(UNAUTHORIZED, `This message signs in to ${site}, and this page is ${location.host}.`);
  }
  return approved({
    title: site === undefined ? "passkey.sign" : "passkey.signIn",
    detail: text,
    work: { kind: "message", message },
  });
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");

/** What cannot be shown in words is not signed: control characters, changed directions of writing, plain bytes. */
function readable(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!/[^\P{C}\n]/u.test(text)) return text;
  } catch {
    // Not UTF-8.
  }
  throw new ProviderError(INVALID, "Only text is signed.");
}

type Approved = { title: "passkey.sign" | "passkey.signIn"; detail: string; work: Work };

/** One request at a time: a second one would stand behind the first, or be mistaken for it. */
let isOpen = false;

/** Shows what will be signed, asks for face or finger, and signs. */
async function approved({ title, detail, work }: Approved): Promise<string> {
  if (isOpen) throw new ProviderError(REQUEST_PENDING, "A request is open in the wallet.");
  isOpen = true;
  try {
    const { address, credential_id } = wallet();
    await loadPasskeyTexts();
    const { host } = location;
    const isApproved = await askConsent({
      title: t(title, { host }),
      detail,
      notes: [t("passkey.sign.note", { host })],
      no: t("passkey.sign.no"),
      yes: t("passkey.sign.yes"),
    });
    if (!isApproved) throw new ProviderError(REJECTED, "The user refused.");
    // Another tab may have opened another wallet meanwhile.
    if (wallet().address !== address) throw new ProviderError(UNAUTHORIZED, "The wallet changed meanwhile.");
    return (await doWithPasskey(work, credential_id)).result;
  } catch (error) {
    if (error instanceof PasskeyError) throw new ProviderError(INTERNAL, error.message, { cause: error });
    throw error;
  } finally {
    isOpen = false;
  }
}

async function forward({ method, params = [] }: Request): Promise<unknown> {
  const response = await fetch(deployment.rpc_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const node = parseJson<NodeAnswer>(await response.text());
  if (!node) throw new ProviderError(INTERNAL, "The node did not respond with JSON.");
  if (node.error) throw new ProviderError(node.error.code, node.error.message);
  return node.result;
}
