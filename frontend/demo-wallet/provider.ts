import { type Hex, hexToString, isHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { SPICY_CHAIN_ID } from "../../domain/product.ts";
import { askConsent } from "./consent.ts";
import { isPermitted, setPermitted } from "./permission.ts";

/** Account 3 of the development chain's published mnemonic: worth nothing anywhere. */
const DEMO_KEY: Hex = "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6";
const KEY_STORAGE = "demo_wallet_key";
const DEFAULT_RPC_URL = "http://127.0.0.1:8545";

type Request = { method: string; params?: unknown };

class ProviderError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const chainIdHex = `0x${SPICY_CHAIN_ID.toString(16)}`;

/** Another key may be put in its place, so that several shoppers can be tried on one machine. */
function account() {
  const chosen = localStorage.getItem(KEY_STORAGE);
  return privateKeyToAccount(chosen && isHex(chosen) ? chosen : DEMO_KEY);
}

const accounts = () => (isPermitted() ? [account().address.toLowerCase()] : []);

async function requestAccounts(): Promise<string[]> {
  if (!isPermitted()) {
    if (!(await askConsent("connect", account().address))) throw new ProviderError(4001, "User rejected the request.");
    setPermitted(true);
  }
  return accounts();
}

async function personalSign(params: unknown): Promise<string> {
  const [data, address] = params as [string, string];
  if (accounts()[0] !== address.toLowerCase()) throw new ProviderError(4100, "Unauthorized account.");
  const message = isHex(data) ? hexToString(data) : data;
  if (!(await askConsent("sign", message))) throw new ProviderError(4001, "User rejected the request.");
  return account().signMessage({ message: isHex(data) ? { raw: data } : data });
}

let rpcUrl: Promise<string> | undefined;

async function forward(request: Request): Promise<unknown> {
  rpcUrl ??= fetch("/api/config")
    .then((response) => response.json())
    .then((body: { data?: { rpc_url?: string } }) => body.data?.rpc_url || DEFAULT_RPC_URL)
    .catch(() => DEFAULT_RPC_URL);
  const response = await fetch(await rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, params: [], ...request }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
  if (answer.error) throw new ProviderError(answer.error.code, answer.error.message);
  return answer.result;
}

/** One EIP-1193 request. @throws ProviderError with the wallet's code */
export async function answer(request: Request): Promise<unknown> {
  switch (request.method) {
    case "eth_chainId":
      return chainIdHex;
    case "net_version":
      return String(SPICY_CHAIN_ID);
    case "eth_accounts":
      return accounts();
    case "eth_requestAccounts":
      return requestAccounts();
    case "wallet_requestPermissions":
      await requestAccounts();
      return [{ parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value: accounts() }] }];
    case "wallet_revokePermissions":
      setPermitted(false);
      return null;
    case "wallet_switchEthereumChain":
    case "wallet_addEthereumChain":
      return null;
    case "personal_sign":
      return personalSign(request.params);
    default:
      return forward(request);
  }
}
