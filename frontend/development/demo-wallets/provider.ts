import { hexToString, isHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { parseJson } from "../../api/http.ts";
import { deployment } from "../../app/deployment.ts";
import { inPageLanguage as t } from "../../i18n/language.tsx";
import { askConsent } from "../../wallet/consent.ts";
import { ProviderError } from "../../wallet/provider-error.ts";
import { type DemoWallet, isPermitted, setPermitted } from "./demo-wallets.ts";

type Request = { method: string; params?: unknown };
type NodeAnswer = { result?: unknown; error?: { code: number; message: string } };

/** The key can be replaced, to try several shoppers on one machine. */
function account(wallet: DemoWallet) {
  const chosen = localStorage.getItem(`${wallet.storage}_key`);
  return privateKeyToAccount(chosen && isHex(chosen) ? chosen : wallet.key);
}

const accounts = (wallet: DemoWallet) => (isPermitted(wallet) ? [account(wallet).address.toLowerCase()] : []);

async function requestAccounts(wallet: DemoWallet): Promise<string[]> {
  if (!isPermitted(wallet)) {
    await consent(wallet, "connect", account(wallet).address);
    setPermitted(wallet, true);
  }
  return accounts(wallet);
}

async function personalSign(wallet: DemoWallet, params: unknown): Promise<string> {
  if (!isSignRequest(params)) throw new ProviderError(-32602, "Invalid parameters.");
  const [data, address] = params;
  if (accounts(wallet)[0] !== address.toLowerCase()) throw new ProviderError(4100, "Unauthorized account.");
  await consent(wallet, "sign", isHex(data) ? hexToString(data) : data);
  return account(wallet).signMessage({ message: isHex(data) ? { raw: data } : data });
}

const isSignRequest = (params: unknown): params is [data: string, address: string] =>
  Array.isArray(params) && typeof params[0] === "string" && typeof params[1] === "string";

async function consent(wallet: DemoWallet, kind: "connect" | "sign", detail: string): Promise<void> {
  const notes = [`${t(wallet.name)}. ${t("demo.note")}`];
  const words = { title: t(`demo.${kind}`), detail, notes, no: t("demo.no"), yes: t("demo.yes") };
  if (!(await askConsent(words))) throw new ProviderError(4001, "User rejected the request.");
}

async function forward(request: Request): Promise<unknown> {
  const response = await fetch(deployment.rpc_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, params: [], ...request }),
  });
  const answer = parseJson<NodeAnswer>(await response.text());
  if (!answer) throw new ProviderError(-32603, "The node did not respond with JSON.");
  if (answer.error) throw new ProviderError(answer.error.code, answer.error.message);
  return answer.result;
}

/** One EIP-1193 request. @throws ProviderError with the wallet's code */
export async function answer(wallet: DemoWallet, request: Request): Promise<unknown> {
  switch (request.method) {
    case "eth_chainId":
      return `0x${deployment.chain_id.toString(16)}`;
    case "net_version":
      return String(deployment.chain_id);
    case "eth_accounts":
      return accounts(wallet);
    case "eth_requestAccounts":
      return requestAccounts(wallet);
    case "wallet_requestPermissions": {
      const value = await requestAccounts(wallet);
      return [{ parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value }] }];
    }
    case "wallet_revokePermissions":
      setPermitted(wallet, false);
      return null;
    case "wallet_switchEthereumChain":
    case "wallet_addEthereumChain":
      return null;
    case "personal_sign":
      return personalSign(wallet, request.params);
    default:
      return forward(request);
  }
}
