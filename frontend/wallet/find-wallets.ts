import { reconnect, watchConnection } from "wagmi/actions";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";
import { WALLETCONNECT_ID, wagmiConfig } from "./config.ts";
import { PASSKEY_WALLET } from "./local-wallets.ts";

/** Without its code no wallet of a passkey is offered, and each other still is. */
async function offerPasskeys(): Promise<void> {
  const { announcePasskeyWallet } = await import("./passkey/announce.ts");
  await announcePasskeyWallet();
}

/**
 * Reconnects an earlier wallet of the browser: "connecting" when this is done. Who has another one connected loads nothing
 * of passkeys.
 */
export async function findWallets(): Promise<void> {
  const earlier = readStored(STORAGE_KEYS.recentConnector);
  if (earlier === null || earlier.includes(PASSKEY_WALLET)) await offerPasskeys().catch(() => {});
  else {
    watchConnection(wagmiConfig, {
      onChange({ status }) {
        if (status === "disconnected") offerPasskeys().catch(() => {});
      },
    });
  }
  reconnect(wagmiConfig, { connectors: wagmiConfig.connectors.filter(({ id }) => id !== WALLETCONNECT_ID) }).catch(
    () => {
      // Stays disconnected, and can be connected again.
    },
  );
}
