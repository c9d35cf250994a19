import { toast } from "sonner";
import { useText } from "../i18n/language.tsx";
import { wagmiConfig } from "./config.ts";
import { useWallet } from "./wallet.tsx";

const PROJECT_ID = import.meta.env.VITE_WALLETCONNECT_PROJECT_ID;

/** WalletConnect, where the operator has set it up; its code is fetched only when it is chosen. */
export function WalletConnectOption() {
  const t = useText();
  const { connectWith, isConnecting } = useWallet();
  if (!PROJECT_ID) return null;
  async function choose() {
    try {
      const { walletConnect } = await import("wagmi/connectors");
      await connectWith(wagmiConfig._internal.connectors.setup(walletConnect({ projectId: PROJECT_ID ?? "" })));
    } catch {
      toast.error(t("wallet.connectionError"), { description: t("wallet.connectionError.detail") });
    }
  }
  return (
    <li>
      <button type="button" className="option" disabled={isConnecting} onClick={choose}>
        <span aria-hidden="true" className="option-initial">
          W
        </span>
        <span className="font-semibold">WalletConnect</span>
      </button>
    </li>
  );
}
