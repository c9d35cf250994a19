import type { Hex } from "viem";
import { getCode } from "viem/actions";
import { recoverMessageAddress } from "viem/utils";
import type { Config, Connector } from "wagmi";
import { getConnectorClient } from "wagmi/actions";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { AddressMismatchError } from "./errors.ts";

const SIGNATURE_LENGTH = 132;

type Signing = {
  config: Config;
  connector: Connector;
  address: WalletAddress;
  message: string;
  sign: () => Promise<Hex>;
};

/** The signature of the wallet at `address`, and of no other one. @throws AddressMismatchError, or the wallet's error */
export async function checkedSignature({ config, connector, address, message, sign }: Signing): Promise<Hex> {
  const [current] = await connector.getAccounts();
  if (current !== undefined && current.toLowerCase() !== address) throw new AddressMismatchError();
  const signature = await sign();
  // The address cannot be recovered from a smart-contract wallet's signature; the server asks the contract (EIP-1271).
  if (signature.length !== SIGNATURE_LENGTH) return signature;
  const signer = await recoverMessageAddress({ message, signature }).catch(() => "");
  if (signer.toLowerCase() === address) return signature;
  const wallet = await getConnectorClient(config, { connector, account: address });
  const code = await getCode(wallet, { address }).catch(() => undefined);
  if (code === undefined) throw new AddressMismatchError();
  return signature;
}
