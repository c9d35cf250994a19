import { readStored, STORAGE_KEYS } from "../app/storage.ts";

/** Ends this browser's messages with the session, and those of whoever had it before this wallet. docs/product.md#push */
export function endPush(exceptOf?: string): void {
  const owner = readStored(STORAGE_KEYS.push)?.split(" ")[0];
  if (!owner || owner === exceptOf) return;
  import("./push-device.ts").then(({ forgetDevice }) => forgetDevice()).catch(() => {});
}
