/** `create`: here; `open`: one that exists, here or on a phone nearby. */
export type PasskeySupport = { create: boolean; open: boolean };

const NONE: PasskeySupport = { create: false, open: false };

/** A browser that does not answer has no passkeys for us. */
const ANSWER_MS = 500;

let asked: Promise<PasskeySupport> | undefined;

/** What this browser can do, asked once. Whether an authenticator answers PRF is only known when it is used. */
export function passkeySupport(): Promise<PasskeySupport> {
  asked ??= Promise.race([
    ask().catch(() => NONE),
    new Promise<PasskeySupport>((resolve) => setTimeout(resolve, ANSWER_MS, NONE)),
  ]);
  return asked;
}

async function ask(): Promise<PasskeySupport> {
  // Another page around this one could lead the finger; and an address by number has no passkeys.
  const isPossible = "PublicKeyCredential" in window && window.self === window.top && !isNumber(location.hostname);
  if (!isPossible) return NONE;
  const has = (await PublicKeyCredential.getClientCapabilities?.()) ?? {};
  if (has["extension:prf"] === false) return NONE;
  const isHere = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
  const create = isHere || has.passkeyPlatformAuthenticator === true;
  return { create, open: create || has.hybridTransport === true };
}

const isNumber = (host: string): boolean => /^[\d.]+$|^\[/.test(host);
