import { type Chain, type Client, createClient, custom, type EIP1193Provider } from "viem";
import { addChain, getChainId, getCode, signMessage, switchChain } from "viem/actions";
import { recoverMessageAddress } from "viem/utils";
import type { Connector } from "wagmi";
import { isRecord } from "../../core/rules/records.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { AddNetworkError, AddressMismatchError, hasCode, UNKNOWN_CHAIN } from "./errors.ts";

/**
 * The wallet, asked once: what failed is not asked again without the user. Not wagmi's own client, which turns every
 * failed add into 4001. docs/product.md#wallet-network.
 * @throws if the wallet is gone
 */
async function clientOf(connector: Connector): Promise<Client> {
  const provider = await connector.getProvider();
  if (!isProvider(provider)) throw new Error(`${connector.name} provides no wallet`);
  return createClient({ transport: custom(provider, { retryCount: 0 }) });
}

/** wagmi does not know what its connectors provide. */
function isProvider(value: unknown): value is EIP1193Provider {
  return isRecord(value) && typeof value.request === "function";
}

/**
 * Asks a wallet on another network to switch, and to add a chain that it does not know (4902). `onAsk` runs before.
 * @returns whether it had to be asked
 * @throws AddNetworkError, or the wallet's error
 */
export async function switchNetwork(connector: Connector, chain: Chain, onAsk: () => void): Promise<boolean> {
  const wallet = await clientOf(connector);
  const isThere = async () => (await getChainId(wallet)) === chain.id;
  if (await isThere()) return false;
  onAsk();
  try {
    await switchChain(wallet, chain);
  } catch (error) {
    if (!hasCode(error, UNKNOWN_CHAIN)) throw error;
    await addChain(wallet, { chain }).catch((cause) => {
      throw new AddNetworkError("The wallet did not add the network", { cause });
    });
    if (!(await isThere())) await switchChain(wallet, chain);
  }
  return true;
}

const SIGNATURE_LENGTH = 132;

/** Signs a message with the connected wallet, and checks that it was that wallet. @throws AddressMismatchError */
export async function signWith(connector: Connector, address: WalletAddress, message: string): Promise<string> {
  const wallet = await clientOf(connector);
  const [current] = await wallet.request({ method: "eth_accounts" });
  if (current !== undefined && current.toLowerCase() !== address) throw new AddressMismatchError();
  const signature = await signMessage(wallet, { account: address, message });
  // The address cannot be recovered from a smart-contract wallet's signature; the server asks the contract (EIP-1271).
  if (signature.length !== SIGNATURE_LENGTH) return signature;
  const signer = await recoverMessageAddress({ message, signature }).catch(() => "");
  if (signer.toLowerCase() !== address && !(await isContract(wallet, address))) throw new AddressMismatchError();
  return signature;
}

async function isContract(wallet: Client, address: WalletAddress): Promise<boolean> {
  return (await getCode(wallet, { address }).catch(() => undefined)) !== undefined;
}
