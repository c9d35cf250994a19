import { readStored, STORAGE_KEYS } from "../app/storage.ts";
import { PASSKEY_WALLET } from "./local-wallets.ts";

/** Announces the wallet behind a passkey. Without its code it is not offered, and each other wallet still is. */
export const offerPasskeys = (): Promise<void> =>
  import("./passkey/announce.ts").then(({ announcePasskeyWallet }) => announcePasskeyWallet()).catch(() => {});

/** Before wagmi restores the wallet of the page before, if it is that one. */
export async function offerEarlierPasskey(): Promise<void> {
  if (readStored(STORAGE_KEYS.recentConnector)?.includes(PASSKEY_WALLET)) await offerPasskeys();
}
