import type { Generated } from "kysely";
import type { EventKind } from "../../domain/events.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

/** What happened to users' purchases and claims, and how far they have read. */
export type EventTables = {
  events: EventsTable;
  event_readers: EventReadersTable;
};

type EventsTable = {
  id: Generated<bigint>;
  wallet: WalletAddress;
  kind: EventKind;
  /** The purchase, or of a claim's events the claim. */
  subject_id: bigint;
  /** Of a debt the revision that caused it; otherwise 0. A kind, subject and part happen once. */
  part: Generated<bigint>;
  /** As they were when it happened. */
  store_name: string;
  amount_cents: bigint;
  /** The cashback, payout, credit or debt; null if there is none, or its rate is not frozen. */
  amount_gwei: bigint | null;
  /** Why a claim was refused. */
  reason: string | null;
  created_at: bigint;
};

/** A user who has read events; without a row, nothing is read. */
type EventReadersTable = {
  wallet: WalletAddress;
  /** Events up to this id are read. */
  read_through: Generated<bigint>;
};
