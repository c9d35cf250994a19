import { randomBytes } from "node:crypto";
import type { Request } from "express";
import type { Hex } from "viem";
import { createSiweMessage } from "viem/siwe";
import { appendAudit } from "../../core/database/audit-log.ts";
import { readClock } from "../../core/database/clock.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { NoAgreementError } from "../../core/process/rpc/every-node.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { challengeMs, type Device, type SignInPurpose, signInSentence } from "../../core/rules/session.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { ApiError } from "../http/api-error.ts";
import { forgetVerified } from "../mail/subscriptions.ts";
import { noteStaffSignIn } from "../operations/notices.ts";
import type { Services } from "../services.ts";
import {
  type Challenge,
  findOpenChallenge,
  insertChallenge,
  insertSession,
  type SessionKind,
  spendNonce,
} from "./sessions.ts";
import { contractOf, ownKeyOf, type Signer } from "./signatures.ts";
import { hasSeenNonce, hasSeenOwnKey, markSeen } from "./users.ts";

/** The site that the wallet displays and the message is bound to. */
export type Site = { domain: string; uri: string };

/** Creates and stores an EIP-4361 message whose statement is the sign-in message. docs/product.md#sign-in-challenge. */
export async function issueChallenge(
  services: Services,
  queries: Queries,
  wanted: { wallet: WalletAddress; purpose: SignInPurpose; site: Site },
): Promise<Challenge> {
  const now = await readClock(queries);
  const nonce = randomBytes(16).toString("hex");
  const message = createSiweMessage({
    address: wanted.wallet,
    chainId: services.environment.CHAIN_ID,
    domain: wanted.site.domain,
    uri: wanted.site.uri,
    version: "1",
    nonce,
    statement: signInSentence(wanted.purpose, wanted.wallet),
    issuedAt: new Date(now),
    expirationTime: new Date(now + challengeMs(wanted.purpose)),
  });
  const challenge = {
    nonce,
    wallet: wanted.wallet,
    purpose: wanted.purpose,
    message,
    expiresAt: BigInt(now + challengeMs(wanted.purpose)),
  };
  await insertChallenge(queries, challenge);
  return challenge;
}

/** A caller's proof of owning a wallet. */
export type Proof = {
  wallet: WalletAddress;
  purpose: SignInPurpose;
  signature: Hex;
  nonce: string | undefined;
  /** The address that the call comes from, and its `originOf`. */
  address: string;
  origin: string;
  device: Device | null;
};

/** A proof that holds: by whom it was signed, and over what. */
export type Admission = { kind: SessionKind; signer: Signer };

/**
 * Checks a signature over the challenge, or over the bare message if that is still accepted. `openSession` then spends
 * the nonce in the transaction that creates the session.
 * @throws ApiError 400
 */
export async function checkProof(services: Services, proof: Proof, site: Site): Promise<Admission> {
  const { kysely } = services.database;
  if (proof.nonce !== undefined) {
    const challenge = await findOpenChallenge(kysely, { ...proof, nonce: proof.nonce });
    if (!challenge) throw nonceInvalid();
    return { kind: "nonce", signer: await requireSigner(services, proof, challenge.message) };
  }
  const isServed =
    services.environment.AUTH_MODE === "compat" &&
    !services.adminWallets.has(proof.wallet) &&
    !(await hasSeenNonce(kysely, proof.wallet));
  if (!isServed) {
    const challenge = await issueChallenge(services, kysely, { ...proof, site });
    throw new ApiError(400, "NONCE_REQUIRED", "Sign the challenge and send its nonce: this wallet needs one", {
      extra: { challenge: toWireChallenge(challenge) },
    });
  }
  return { kind: "compat", signer: await requireSigner(services, proof, signInSentence(proof.purpose, proof.wallet)) };
}

export function toWireChallenge(challenge: Challenge) {
  return {
    nonce: challenge.nonce,
    message: challenge.message,
    expires_at: isoTime(challenge.expiresAt),
  };
}

const nonceInvalid = () =>
  new ApiError(400, "NONCE_INVALID", "nonce is unknown, spent or too old; ask for a new challenge");

/** A nonce proves one thing once. @throws ApiError 400 if it was spent */
export async function spend(queries: Queries, nonce: string | undefined): Promise<void> {
  if (nonce === undefined || !(await spendNonce(queries, nonce))) throw nonceInvalid();
}

/**
 * Spends the nonce and creates the session, in the caller's transaction; a member of staff's is written into the audit log
 * and told to the owners. @throws ApiError 400 if the nonce was spent
 */
export async function openSession(
  services: Services,
  queries: Queries,
  proof: Proof,
  { kind, signer }: Admission,
): Promise<string> {
  const { wallet } = proof;
  if (kind === "nonce") {
    await spend(queries, proof.nonce);
    // Whoever used the profile before may have had a copied signature.
    if (await markSeen(queries, wallet, "nonce_seen")) await forgetVerified(queries, wallet);
    await revokeCompatSessions(queries, wallet);
  }
  const signature = "kind" in signer ? signer.kind : signer.value.kind;
  if (signature === "key") await markSeen(queries, wallet, "own_key_seen");
  const role = services.adminWallets.get(wallet);
  if (role !== undefined) {
    const detail = { role, origin: proof.address, signature };
    await appendAudit(queries, { actor: wallet, action: "session.sign_in", subject: `user:${wallet}`, detail });
    await noteStaffSignIn(services, queries, { wallet, ...detail });
  }
  return insertSession(queries, wallet, { kind, device: proof.device });
}

/**
 * Staff sign with their key, or by a contract that `ADMIN_WALLETS` names as one; everybody else with their key, or by a
 * contract if the wallet never signed with a key. docs/product.md#staff-key
 * @throws ApiError 400, or 503 while the nodes cannot say it
 */
async function requireSigner(services: Services, proof: Proof, message: string): Promise<Signer> {
  const signed = { wallet: proof.wallet, message, signature: proof.signature };
  const signer = (await ownKeyOf(signed)) ?? (await contractSigner(services, proof, signed));
  if (signer) return signer;
  throw new ApiError(400, "SIGNATURE_INVALID", "signature is not from this wallet, or not over the expected message", {
    extra: { field: "signature" },
  });
}

async function contractSigner(
  { adminWallets, contractStaff, everyNode, database, environment, log }: Services,
  { wallet, origin }: Proof,
  signed: Parameters<typeof contractOf>[1],
): Promise<Signer | undefined> {
  const isStaff = adminWallets.has(wallet);
  if ((isStaff && !contractStaff.has(wallet)) || (await hasSeenOwnKey(database.kysely, wallet))) return undefined;
  const question = { asker: origin, at: { depth: environment.CONFIRMATIONS }, mustHaveCode: isStaff };
  try {
    return await contractOf(everyNode, signed, question);
  } catch (error) {
    if (!(error instanceof NoAgreementError)) throw error;
    log.warn({ reason: error.message, why: error.why }, "No contract lets a wallet in: the nodes do not agree");
    if (error.why === "different") return undefined;
    throw error;
  }
}

/**
 * The site named in a challenge comes from the configuration: if callers could choose the domain, another site could
 * relay our challenge as its own. Without PUBLIC_URL (local chain only) it is this machine under any of its names.
 */
export function siteOf({ environment }: Services, request: Request): Site {
  if (environment.PUBLIC_URL !== undefined) {
    const url = new URL(environment.PUBLIC_URL);
    return { domain: url.host, uri: url.origin };
  }
  const asked = LOOPBACK_HOST.exec(request.headers.host ?? "")?.[0];
  const domain = asked ?? `localhost:${environment.PORT}`;
  return { domain, uri: `http://${domain}` };
}

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/** Ends a wallet's sessions by bare messages, which are invalid from its first nonce on. */
async function revokeCompatSessions(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries
    .updateTable("sessions")
    .set({ revoked_at: BigInt(Date.now()) })
    .where("wallet", "=", wallet)
    .where("kind", "=", "compat")
    .where("revoked_at", "is", null)
    .execute();
}
