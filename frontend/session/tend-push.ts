import { readStored, STORAGE_KEYS } from "../app/storage.ts";

/**
 * Keeps this browser's messages those of the wallet that is signed in, or of nobody: they end for whoever had it before.
 * docs/product.md#push
 */
export function tendPush(wallet?: string): void {
  const owner = readStored(STORAGE_KEYS.push)?.split(" ")[0];
  if (!owner) return;
  const tend = async () => {
    const { forgetDevice, keepDevice } = await import("./push-device.ts");
    await (owner === wallet ? keepDevice(wallet) : forgetDevice());
  };
  // It is tried again with the next page.
  tend().catch(() => {});
}
