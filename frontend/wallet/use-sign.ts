import { useCallback } from "react";
import { useConfig, useConnection, useSignMessage } from "wagmi";
import { useWallet } from "./use-wallet.ts";

/**
 * Signs a message with the connected wallet, and checks that it was that wallet.
 * @throws AddressMismatchError, or the wallet's error
 */
export function useSign(): (message: string) => Promise<string> {
  const config = useConfig();
  const { connector } = useConnection();
  const { address } = useWallet();
  const { mutateAsync: signMessage } = useSignMessage();
  return useCallback(
    async (message) => {
      if (!connector || !address) throw new Error("No wallet is connected");
      // Signatures are checked by code that no other page needs.
      const { checkedSignature } = await import("./checked-signature.ts");
      const sign = () => signMessage({ account: address, connector, message });
      return checkedSignature({ config, connector, address, message, sign });
    },
    [config, connector, address, signMessage],
  );
}
