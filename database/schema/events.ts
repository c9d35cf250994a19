import type { Generated } from "kysely";
import type { EventKind } from "../../domain/events.ts";
import type { Language } from "../../domain/languages.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

/** What happened to users' purchases and claims, and how far they have read. */
export type EventTables = {
  events: EventsTable;
  event_readers: EventReadersTable;
  mails: MailsTable;
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
  reason: string | null;
  created_at: bigint;
  /** When it may go into an e-mail; null if it is in one, or need not be. */
  mail_at: bigint | null;
};

/** A user who has read events, or wants e-mails; without a row, nothing is read and none is wanted. */
type EventReadersTable = {
  wallet: WalletAddress;
  /** Events up to this id are read. */
  read_through: Generated<bigint>;
  /** Of e-mails. */
  language: Generated<Language>;
  /** The topics of e-mails, separated by spaces. */
  mail_topics: Generated<string>;
  /** The verified address; null until then, and after the profile's address has changed. */
  mail_address: string | null;
  /** In the links that end e-mails without a login. */
  unsubscribe_token: string | null;
  /** SHA-256 of the token in the link that verifies `verify_address`, valid once until `verify_until`. */
  verify_hash: string | null;
  verify_address: string | null;
  verify_until: bigint | null;
};

/** E-mails, each written before it is sent. Their texts are deleted once they are. */
type MailsTable = {
  id: Generated<bigint>;
  wallet: WalletAddress;
  kind: "events" | "verify";
  address: string;
  subject: string;
  text: string;
  html: string;
  unsubscribe_token: string | null;
  /** The same for the same events, so that a repeat is recognisable. */
  message_id: string;
  created_at: bigint;
  /** When it is sent, or tried again; null if it was sent or given up. */
  due_at: bigint | null;
  attempts: Generated<bigint>;
  error: string | null;
  sent_at: bigint | null;
};
