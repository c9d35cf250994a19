import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { findWaiting, propose, setProposal, undoProposal } from "../../core/database/proposals.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { EnvironmentError } from "../../core/process/environment.ts";
import { ERASED_AFTER_MS } from "../../core/rules/proposals.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { keyedHash } from "../keyed-hash.ts";
import { type Reader, unsubscribe } from "../mail/subscriptions.ts";
import { eraseUser } from "./erasure.ts";
import type { User } from "./users.ts";

/**
 * Who erased their profile, and who ended their e-mails, in a file outside the database, which a restored backup does not
 * undo: a line has the time, a hash of which of both and the wallet, by a key that is kept elsewhere, and which key that
 * is. docs/product.md#erase
 */
const LINE = /^\S+Z [0-9a-f]{64} [0-9a-f]{8}$/;
/** Where no sale is paid, no key is needed. */
const NO_KEY = "";
const ROWS_A_READ = 2_000;

export type ErasedList = {
  times: ReadonlyMap<string, number>;
  keys: readonly string[];
  /** What of it this command cannot carry out, for its reader; empty if it can all. */
  warning: string;
};

export type Left = { erased: number; unsubscribed: number };

/** `asked`: somebody asked for their own erasure; `kept`: they thought better of it, or an erasure was stopped. */
type Wish = "erased" | "unsubscribed" | "asked" | "kept";
type Keys = { SALE_REF_KEY?: string | undefined; SALE_REF_KEYS: readonly string[] };

/** Found out before the first erasure fails. @throws EnvironmentError */
export function refuseUnwritableList(file: string): void {
  try {
    closeSync(openList(file));
  } catch (error) {
    throw new EnvironmentError(`ERASED_FILE, by default in DATA_DIR, cannot be written: ${messageOf(error)}`);
  }
}

/**
 * Before the profile is erased: one that is in the list and not erased is erased at the next restore. The time is never
 * before the registration, though a clock was put back meanwhile.
 */
export function listErased(
  file: string,
  keys: Keys,
  { wallet, created_at }: Pick<User, "wallet" | "created_at">,
): void {
  add(file, keys, "erased", wallet, created_at);
}

/** Before the erasure is asked for, or undone: a restore brings the day back, or takes it away. docs/product.md#erase */
export function listWish(
  file: string,
  keys: Keys,
  wish: "asked" | "kept",
  { wallet, created_at }: Pick<User, "wallet" | "created_at">,
): void {
  add(file, keys, wish, wallet, created_at);
}

/** Before the e-mails end, likewise; nothing for who gets none. */
export function listUnsubscribed(
  file: string,
  keys: Keys,
  { wallet, mail_topics, mail_chosen_at }: Pick<Reader, "wallet" | "mail_topics" | "mail_chosen_at">,
): void {
  if (mail_topics !== "") add(file, keys, "unsubscribed", wallet, mail_chosen_at);
}

function add(file: string, { SALE_REF_KEY: key }: Keys, wish: Wish, wallet: WalletAddress, since: bigint): void {
  const time = new Date(Math.max(Date.now(), Number(since)));
  append(file, [`${time.toISOString()} ${hashOf(key, wish, wallet)} ${nameOf(key)}`]);
}

/**
 * Adds the lines of a list, if it exists, to another, so that this exists too: one that was lost or emptied takes nothing
 * from its copies.
 */
export function mergeErasedList(from: string, to: string): void {
  if (!existsSync(from)) return;
  const known = new Set(linesOf(to));
  append(
    to,
    linesOf(from).filter((line) => !known.has(line)),
  );
}

function linesOf(file: string): string[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => LINE.test(line))
    : [];
}

function append(file: string, lines: readonly string[]): void {
  const opened = openList(file);
  try {
    if (lines.length === 0) return;
    // Begins a line of its own, even after a write that was cut off.
    writeSync(opened, `\n${lines.join("\n")}\n`);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function openList(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, "a", 0o600);
}

/** One that does not exist is empty. */
export function readErasedList(file: string, { SALE_REF_KEY: key, SALE_REF_KEYS: older }: Keys): ErasedList {
  const keys = [...(key === undefined ? [] : [key]), ...older, NO_KEY];
  const names = new Set(keys.map(nameOf));
  const times = new Map<string, number>();
  let unread = 0;
  for (const line of linesOf(file)) {
    const [time = "", hash = "", name = ""] = line.split(" ");
    times.set(hash, Math.max(Date.parse(time) || 0, times.get(hash) ?? 0));
    if (!names.has(name)) unread++;
  }
  return { times, keys, warning: warningOf(file, unread) };
}

/** They are not lost: `npm run restored` reads the list again. */
function warningOf(file: string, unread: number): string {
  if (!existsSync(file))
    return `! There is no ${file}: who left after the backup is back. Put the lists of all hosts and copies there, before npm run restored`;
  if (unread === 0) return "";
  return `! ${unread} wishes to leave in ${file} are by a key that is not here, and are not carried out: correct SALE_REF_KEY, or add the former key to SALE_REF_KEYS, before npm run restored`;
}

/**
 * Erases in a database that was restored or moved back who was erased since, and ends the e-mails of who ended them
 * since; not of who registered or chose again afterwards. Returns how many.
 */
export async function leaveAgain(queries: Queries, list: ErasedList): Promise<Left> {
  return { erased: await eraseAgain(queries, list), unsubscribed: await unsubscribeAgain(queries, list) };
}

/** Empty if there was nobody, and nothing stands against it. */
export function leftText({ erased, unsubscribed }: Left, { warning }: ErasedList): string {
  return [
    ...(erased > 0 ? [`${erased} profiles that were erased since are erased again`] : []),
    ...(unsubscribed > 0 ? [`${unsubscribed} people who ended their e-mails since get none again`] : []),
    ...(warning ? [warning] : []),
  ].join("\n");
}

async function eraseAgain(queries: Queries, list: ErasedList): Promise<number> {
  return countEach(
    (last) =>
      queries
        .selectFrom("users")
        .select(["wallet", "created_at as since"])
        .where("wallet", ">", last)
        .where("erased_at", "is", null)
        .orderBy("wallet")
        .limit(ROWS_A_READ)
        .execute(),
    async ({ wallet, since }) => {
      const [askedAt, keptAt] = [timeOf(list, "asked", wallet), timeOf(list, "kept", wallet)];
      // What was stopped after the backup waits no more; one that was asked for after that does.
      const waiting = keptAt >= since ? await findWaiting(queries, "erase", wallet) : undefined;
      if (waiting && waiting.created_at < keptAt)
        await undoProposal(queries, waiting.id, { actor: wallet, reason: null });
      if (askedAt >= since && askedAt > keptAt && askedAt > timeOf(list, "erased", wallet))
        await askAgain(queries, wallet, BigInt(askedAt));
      if (timeOf(list, "erased", wallet) < since) return false;
      await eraseUser(queries, wallet, { SALE_REF_KEY: list.keys[0] });
      return true;
    },
  );
}

/** The day that was told to its owner. */
async function askAgain(queries: Queries, wallet: WalletAddress, askedAt: bigint): Promise<void> {
  if (await findWaiting(queries, "erase", wallet)) return;
  const { id } = await propose(queries, { kind: "erase", subject: wallet }, { actor: wallet, hasOthers: false });
  const day = askedAt + BigInt(ERASED_AFTER_MS);
  await setProposal(queries, id, { due_at: day, takes_effect_at: day });
}

async function unsubscribeAgain(queries: Queries, list: ErasedList): Promise<number> {
  return countEach(
    (last) =>
      queries
        .selectFrom("event_readers")
        .select(["wallet", "mail_chosen_at as since"])
        .where("wallet", ">", last)
        .where("mail_topics", "<>", "")
        .orderBy("wallet")
        .limit(ROWS_A_READ)
        .execute(),
    async ({ wallet, since }) => {
      if (timeOf(list, "unsubscribed", wallet) < since) return false;
      await unsubscribe(queries, wallet);
      return true;
    },
  );
}

/** Reads all rows, one page after the other, and returns for how many `work` is true. */
async function countEach<Row extends { wallet: WalletAddress }>(
  read: (after: WalletAddress) => Promise<Row[]>,
  work: (row: Row) => Promise<boolean>,
): Promise<number> {
  let count = 0;
  let last = "" as WalletAddress;
  for (;;) {
    const rows = await read(last);
    for (const row of rows) if (await work(row)) count++;
    if (rows.length < ROWS_A_READ) return count;
    last = rows.at(-1)?.wallet ?? last;
  }
}

/** Of the last such wish of a wallet in the list; -1 if there is none. */
function timeOf({ times, keys }: ErasedList, wish: Wish, wallet: WalletAddress): number {
  return Math.max(...keys.map((key) => times.get(hashOf(key, wish, wallet)) ?? -1));
}

/** Says nothing about the key but whether it is another. */
const nameOf = (key: string | undefined) => keyedHash(key, "name").slice(0, 8);

const hashOf = (key: string | undefined, wish: Wish, wallet: WalletAddress) => keyedHash(key, `${wish} ${wallet}`);
