import { PRODUCT_NAME } from "../../../core/rules/product.ts";
import { isAddressShaped, type WalletAddress } from "../../../core/rules/wallet-address.ts";
import { REJECTED } from "../errors.ts";
import { ProviderError } from "../provider-error.ts";
import type { PasskeyWallet } from "./kept.ts";
import type { Work, WorkDone, WorkOrder } from "./work.ts";

/** The input of PRF, fixed: the same for every passkey, whose own secret makes the answer its own. */
const PRF_INPUT = "torcida wallet v1";
const ANSWER_MS = 120_000;
/** A derivation takes a second on a slow phone. */
const WORK_MS = 30_000;
const ES256 = -7;
const RS256 = -257;

/**
 * Why a passkey makes no wallet. `noPrf`: it answers no PRF. `unstable`: it answered otherwise the second time.
 * `exists`: the authenticator has the wallet that this browser knows. `stopped`: the derivation ended without an answer, or
 * gave none in time. `changed`: it answered with another wallet than the one that is connected.
 */
export class PasskeyError extends Error {
  override readonly name = "PasskeyError";
  readonly reason: "noPrf" | "unstable" | "exists" | "stopped" | "changed";
  constructor(reason: PasskeyError["reason"], options?: ErrorOptions) {
    super(`The passkey makes no wallet: ${reason}`, options);
    this.reason = reason;
  }
}

type Answer = { credential_id: string; prf: Uint8Array<ArrayBuffer> };
const evaluated = () => ({ prf: { eval: { first: new TextEncoder().encode(PRF_INPUT) } } });
const random = () => crypto.getRandomValues(new Uint8Array(32));

/**
 * Makes a passkey of its own: with a random user, so that no other one is overwritten. Answers the address if the
 * authenticator answered PRF at once; some do so only when they are asked.
 * @throws ProviderError 4001 if refused or timed out, PasskeyError
 */
export async function makePasskey(
  name: string,
  known?: string,
): Promise<{ credential_id: string; address?: WalletAddress }> {
  const options: PublicKeyCredentialCreationOptions = {
    rp: { name: PRODUCT_NAME },
    user: { id: random(), name, displayName: name },
    // No server checks what the passkey signs; only PRF's answer is used.
    challenge: random(),
    pubKeyCredParams: [ES256, RS256].map((alg) => ({ type: "public-key", alg })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    excludeCredentials: known ? [{ type: "public-key", id: bytesOf(known) }] : [],
    timeout: ANSWER_MS,
    extensions: evaluated(),
  };
  const worker = startWorker();
  try {
    const made = await asked(() => navigator.credentials.create({ publicKey: options }));
    const { prf } = made.getClientExtensionResults();
    if (prf?.enabled === false) {
      await forget(made.id);
      throw new PasskeyError("noPrf");
    }
    const first = prf?.results?.first;
    if (!first) return { credential_id: made.id };
    return {
      credential_id: made.id,
      address: toAddress(await worker.does({ prf: copyOf(first), work: { kind: "address" } })),
    };
  } finally {
    worker.end();
  }
}

/**
 * Asks for face or finger, and makes something of the answer in a worker that ends with it.
 * @param wanted its `credential_id`; without it the user chooses among those of this site. With its `address`, of that wallet
 * @throws ProviderError 4001 if refused or timed out, PasskeyError
 */
export async function doWithPasskey(
  work: Work,
  wanted: Partial<Pick<PasskeyWallet, "credential_id" | "address">>,
): Promise<{ credential_id: string; result: string }> {
  // Started first: without it, a finger would have been asked for nothing.
  const worker = startWorker();
  try {
    const { credential_id, prf } = await askPasskey(wanted.credential_id);
    return { credential_id, result: await worker.does({ prf, work, own: wanted.address }) };
  } finally {
    worker.end();
  }
}

export async function addressOf(credentialId?: string): Promise<{ credential_id: string; address: WalletAddress }> {
  const { credential_id, result } = await doWithPasskey(
    { kind: "address" },
    credentialId === undefined ? {} : { credential_id: credentialId },
  );
  return { credential_id, address: toAddress(result) };
}

async function askPasskey(credentialId: string | undefined): Promise<Answer> {
  const options: PublicKeyCredentialRequestOptions = {
    challenge: random(),
    allowCredentials: credentialId ? [{ type: "public-key", id: bytesOf(credentialId) }] : [],
    userVerification: "required",
    timeout: ANSWER_MS,
    extensions: evaluated(),
  };
  const given = await asked(() => navigator.credentials.get({ publicKey: options }));
  const first = given.getClientExtensionResults().prf?.results?.first;
  if (!first) throw new PasskeyError("noPrf");
  return { credential_id: given.id, prf: copyOf(first) };
}

async function asked(request: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await request();
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    if (name === "InvalidStateError") throw new PasskeyError("exists", { cause: error });
    if (name === "NotSupportedError" || name === "ConstraintError") throw new PasskeyError("noPrf", { cause: error });
    if (name !== "NotAllowedError" && name !== "AbortError") throw error;
  }
  throw new ProviderError(REJECTED, "The passkey was refused, or nobody answered.");
}

/** Takes a passkey that is of no use out of the authenticator's list, where the browser can. */
export async function forget(credentialId: string): Promise<void> {
  const signal = { rpId: location.hostname, credentialId };
  await PublicKeyCredential.signalUnknownCredential?.(signal).catch(() => {});
}

function startWorker() {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const done = Promise.withResolvers<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Who waits for it may have been refused before.
  done.promise.catch(() => {});
  worker.addEventListener("error", (event) => done.reject(new PasskeyError("stopped", { cause: event.message })));
  worker.addEventListener("message", ({ data }: MessageEvent<WorkDone>) => {
    if ("result" in data) done.resolve(data.result);
    else if ("isAnother" in data) done.reject(new PasskeyError("changed"));
    else done.reject(new PasskeyError("stopped", { cause: data.problem }));
  });
  return {
    /** The page keeps nothing of the answer: its bytes move to the worker. */
    does(order: WorkOrder): Promise<string> {
      worker.postMessage(order, [order.prf.buffer]);
      timer = setTimeout(() => done.reject(new PasskeyError("stopped", { cause: "no answer" })), WORK_MS);
      return done.promise;
    },
    end() {
      clearTimeout(timer);
      worker.terminate();
    },
  };
}

function copyOf(source: BufferSource): Uint8Array<ArrayBuffer> {
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  const copy = Uint8Array.from(bytes);
  bytes.fill(0);
  return copy;
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

function toAddress(text: string): WalletAddress {
  if (!isAddressShaped(text)) throw new PasskeyError("stopped", { cause: text });
  return text;
}
