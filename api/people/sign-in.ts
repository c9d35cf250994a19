import { randomBytes } from "node:crypto";
import { type Hex, hashMessage, isAddressEqual, recoverMessageAddress } from "viem";
import { createSiweMessage } from "viem/siwe";
import { readClock } from "../../database/clock.ts";
import type { Queries } from "../../database/transaction.ts";
import { isoTime } from "../../domain/iso-time.ts";
import { CHALLENGE_MS, type SignInPurpose, signInSentence } from "../../domain/session.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { ApiError } from "../http/api-error.ts";
import type { Services } from "../services.ts";
import {
  type Challenge,
  findOpenChallenge,
  insertChallenge,
  insertSession,
  revokeCompatSessions,
  type SessionKind,
  spendNonce,
} from "./sessions.ts";
import { hasSeenNonce, markNonceSeen } from "./users.ts";

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const EIP_1271_ABI = [
  {
    type: "function",
    name: "isValidSignature",
    stateMutability: "view",
    inputs: [
      { name: "hash", type: "bytes32" },
      { name: "signature", type: "bytes" },
    ],
    outputs: [{ name: "", type: "bytes4" }],
  },
] as const;
const EIP_1271_MAGIC = "0x1626ba7e";

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
    expirationTime: new Date(now + CHALLENGE_MS),
  });
  const challenge = {
    nonce,
    wallet: wanted.wallet,
    purpose: wanted.purpose,
    message,
    expiresAt: BigInt(now + CHALLENGE_MS),
  };
  await insertChallenge(queries, challenge);
  return challenge;
}

/** A caller's proof of owning a wallet. */
export type Proof = { wallet: WalletAddress; purpose: SignInPurpose; signature: Hex; nonce: string | undefined };

/**
 * Checks a signature over the challenge, or over the bare message if that is still accepted. `openSession` then spends
 * the nonce in the transaction that creates the session.
 * @throws ApiError 400
 */
export async function checkProof(services: Services, proof: Proof, site: Site): Promise<SessionKind> {
  const { kysely } = services.database;
  if (proof.nonce !== undefined) {
    const challenge = await findOpenChallenge(kysely, { ...proof, nonce: proof.nonce });
    if (!challenge) {
      throw new ApiError(
        400,
        "NONCE_INVALID",
        "nonce is unknown, spent or older than 5 minutes; ask for a new challenge",
      );
    }
    await requireSignature(services, proof, challenge.message);
    return "nonce";
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
  await requireSignature(services, proof, signInSentence(proof.purpose, proof.wallet));
  return "compat";
}

export function toWireChallenge(challenge: Challenge) {
  return {
    nonce: challenge.nonce,
    message: challenge.message,
    expires_at: isoTime(challenge.expiresAt),
  };
}

/** Spends the nonce and creates the session, in the caller's transaction. @throws ApiError 400 if it was spent. */
export async function openSession(queries: Queries, proof: Proof, kind: SessionKind): Promise<string> {
  if (kind === "nonce") {
    if (proof.nonce === undefined || !(await spendNonce(queries, proof.nonce))) {
      throw new ApiError(
        400,
        "NONCE_INVALID",
        "nonce is unknown, spent or older than 5 minutes; ask for a new challenge",
      );
    }
    await markNonceSeen(queries, proof.wallet);
    await revokeCompatSessions(queries, proof.wallet);
  }
  return insertSession(queries, proof.wallet, kind);
}

async function requireSignature(services: Services, proof: Proof, message: string): Promise<void> {
  if (await isOwnSignature(proof, message)) return;
  if (await isContractSignature(services, proof, message)) return;
  throw new ApiError(400, "SIGNATURE_INVALID", "signature is not from this wallet, or not over the expected message", {
    extra: { field: "signature" },
  });
}

/** One form of each signature: 65 bytes, low s; `v` is 27 or 28, or the 0 or 1 of a Ledger. docs/product.md#sign-in-signature */
async function isOwnSignature(proof: Proof, message: string): Promise<boolean> {
  if (proof.signature.length !== 132) return false;
  const s = BigInt(`0x${proof.signature.slice(66, 130)}`);
  const given = Number.parseInt(proof.signature.slice(130), 16);
  const v = given < 2 ? given + 27 : given;
  if (s > HALF_ORDER || (v !== 27 && v !== 28)) return false;
  const signature: Hex = `0x${proof.signature.slice(2, 130)}${v.toString(16)}`;
  try {
    return isAddressEqual(await recoverMessageAddress({ message, signature }), proof.wallet);
  } catch {
    return false;
  }
}

/** EIP-1271, for smart-contract wallets. Any failure counts as an invalid signature. */
async function isContractSignature(services: Services, proof: Proof, message: string): Promise<boolean> {
  const code = await services.client.getCode({ address: proof.wallet });
  if (code === undefined || code === "0x") return false;
  try {
    const answer = await services.client.readContract({
      address: proof.wallet,
      abi: EIP_1271_ABI,
      functionName: "isValidSignature",
      args: [hashMessage(message), proof.signature],
    });
    return answer === EIP_1271_MAGIC;
  } catch {
    return false;
  }
}
