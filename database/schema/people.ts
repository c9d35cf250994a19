import type { Generated } from "kysely";
import type { SignInPurpose } from "../../domain/session.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

export type PeopleTables = {
  users: UsersTable;
  sessions: SessionsTable;
  sign_in_nonces: SignInNoncesTable;
};

type UsersTable = {
  wallet: WalletAddress;
  email: string;
  first_name: string;
  last_name: string;
  /** 1n once this wallet has signed in with a nonce; bare messages are rejected from then on. */
  nonce_seen: Generated<bigint>;
  /** Incremented by every change of this wallet's rows, to detect a stale cached response. */
  revision: Generated<bigint>;
  created_at: bigint;
  /** The owner erased the profile; the row stays for `nonce_seen`. */
  erased_at: bigint | null;
  /** For searching and sorting in the panel: `searchKey`. */
  email_key: Generated<string>;
  name_key: Generated<string>;
  last_name_key: Generated<string>;
  /** What the team calls this wallet; empty if it uses the profile's name. Its `searchKey` beside it. */
  nickname: Generated<string>;
  nickname_key: Generated<string>;
};

type SessionsTable = {
  /** SHA-256 of the opaque token, hex. */
  token_hash: string;
  wallet: WalletAddress;
  kind: "nonce" | "compat";
  created_at: bigint;
  last_seen_at: bigint;
  revoked_at: bigint | null;
};

type SignInNoncesTable = {
  nonce: string;
  wallet: WalletAddress;
  purpose: SignInPurpose;
  message: string;
  expires_at: bigint;
  used_at: bigint | null;
};
