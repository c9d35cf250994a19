import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { keepWallet, keptWallet } from "./kept.ts";
import { addressOf, forget, makePasskey, PasskeyError } from "./passkey.ts";

/**
 * A passkey whose address was seen once, or never: no address is shown, kept or registered before a second, separate
 * answer gave the same. Money sent to a key that cannot be made again is lost.
 */
export type Candidate = { credential_id: string; address?: WalletAddress; isNew: boolean };

/**
 * Makes a passkey, or opens the one that this browser knows instead. `isAnother`: the user wants one more.
 * @returns undefined if the known wallet was opened
 * @throws as `makePasskey`
 */
export async function createCandidate(name: string, isAnother: boolean): Promise<Candidate | undefined> {
  const kept = keptWallet();
  if (!kept || isAnother) return { ...(await makePasskey(name, kept?.credential_id)), isNew: true };
  const { address } = await addressOf(kept.credential_id);
  if (address !== kept.address) throw new PasskeyError("unstable");
  return undefined;
}

/** Opens a wallet that the user chooses among the passkeys of this site. @throws as `addressOf` */
export async function findCandidate(): Promise<Candidate> {
  return { ...(await addressOf()), isNew: false };
}

/**
 * Asks again, and keeps the wallet if the answer is the same. A wallet that this browser knows needs no second answer.
 * @throws PasskeyError `unstable`, and as `addressOf`
 */
export async function confirm(candidate: Candidate): Promise<void> {
  const { credential_id, isNew } = candidate;
  const kept = keptWallet();
  const isKnown = kept?.credential_id === credential_id && kept.address === candidate.address;
  if (isKnown && !isNew) return keepWallet(kept, false);
  try {
    candidate.address ??= (await addressOf(credential_id)).address;
  } catch (error) {
    // It said nothing of PRF when it was made.
    if (isNew && error instanceof PasskeyError && error.reason === "noPrf") await forget(credential_id);
    throw error;
  }
  const again = await addressOf(credential_id);
  if (again.address !== candidate.address) throw new PasskeyError("unstable");
  keepWallet({ version: 1, address: again.address, credential_id }, isNew);
}
