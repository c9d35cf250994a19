import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Queries } from "../../database/transaction.ts";
import { messageOf } from "../../domain/unknown-error.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { EnvironmentError } from "../../platform/environment.ts";
import { keyedHash } from "../keyed-hash.ts";
import { eraseUser, type User } from "./users.ts";

/**
 * Erased profiles, in a file outside the database, which a restored backup does not undo: a line has the time and a hash
 * of the wallet by a key that is kept elsewhere. docs/product.md#erase
 */
const LINE = /^\S+Z [0-9a-f]{64}$/;
/** Where no sale is paid, no key is needed. */
const NO_KEY = "";
const USERS_A_READ = 2_000;

export type ErasedList = { times: ReadonlyMap<string, number>; keys: readonly string[] };

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
export function addToErasedList(
  file: string,
  { SALE_REF_KEY: key }: Keys,
  user: Pick<User, "wallet" | "created_at">,
): void {
  const time = new Date(Math.max(Date.now(), Number(user.created_at)));
  append(file, [`${time.toISOString()} ${hashOf(key, user.wallet)}`]);
}

/** Adds the lines of a list, if it exists, to another: one that was lost or emptied takes nothing from its copies. */
export function mergeErasedList(from: string, to: string): void {
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
  if (lines.length === 0) return;
  const opened = openList(file);
  try {
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

/** The lists of several hosts together; one that does not exist is empty. */
export function readErasedList(
  files: readonly string[],
  { SALE_REF_KEY: key, SALE_REF_KEYS: older }: Keys,
): ErasedList {
  const times = new Map<string, number>();
  for (const line of files.flatMap(linesOf)) {
    const [time = "", hash = ""] = line.split(" ");
    times.set(hash, Math.max(Date.parse(time) || 0, times.get(hash) ?? 0));
  }
  return { times, keys: [...(key === undefined ? [] : [key]), ...older, NO_KEY] };
}

/** Erases in a restored database who was erased since; not who registered again afterwards. Returns how many. */
export async function eraseAgain(queries: Queries, { times, keys }: ErasedList): Promise<number> {
  let erased = 0;
  let last = "" as WalletAddress;
  for (;;) {
    const users = await queries
      .selectFrom("users")
      .select(["wallet", "created_at"])
      .where("wallet", ">", last)
      .where("erased_at", "is", null)
      .orderBy("wallet")
      .limit(USERS_A_READ)
      .execute();
    for (const { wallet, created_at } of users) {
      const erasures = keys.map((key) => times.get(hashOf(key, wallet)) ?? 0);
      if (Math.max(...erasures) < Number(created_at)) continue;
      await eraseUser(queries, wallet, { SALE_REF_KEY: keys[0] });
      erased++;
    }
    if (users.length < USERS_A_READ) return erased;
    last = users.at(-1)?.wallet ?? last;
  }
}

const hashOf = (key: string | undefined, wallet: WalletAddress) => keyedHash(key, `erased ${wallet}`);
