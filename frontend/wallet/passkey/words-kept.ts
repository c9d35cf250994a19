import { readStored, STORAGE_KEYS, store } from "../../app/storage.ts";

/** What happened to the words of a wallet: offered `first`, offered `again`, or `saved`, which ends the offers. */
export type WordsState = "first" | "again" | "saved";

/** Undefined while nothing was offered. */
export function wordsState(address: string): WordsState | undefined {
  const [of, state] = (readStored(STORAGE_KEYS.passkeyWords) ?? "").split(" ");
  return of === address && (state === "first" || state === "again" || state === "saved") ? state : undefined;
}

export const keepWordsState = (address: string, state: WordsState): void =>
  store(STORAGE_KEYS.passkeyWords, `${address} ${state}`);

const AGAIN_ABOVE_CENTS = 100_00n;

/**
 * Which offer is due: one at the first confirmed purchase, one more above R$ 100 of cashback, and no third.
 * docs/product.md#wallet-passkey
 */
export function dueOffer(
  state: WordsState | undefined,
  { confirmed, cashbackCents }: { confirmed: number; cashbackCents: bigint },
): "first" | "again" | undefined {
  if (state === "saved" || state === "again" || confirmed === 0) return undefined;
  if (cashbackCents > AGAIN_ABOVE_CENTS) return "again";
  return state === undefined ? "first" : undefined;
}

/** As many different positions in a list, in order. */
export function somePositions(count: number, length: number, random: () => number = Math.random): number[] {
  const left = Array.from({ length }, (_, at) => at);
  const chosen = Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0] ?? 0);
  return chosen.sort((one, other) => one - other);
}

/** Whether a typed word is the right one: capitals and spaces around it do not matter. */
export const isSameWord = (typed: string, word: string | undefined): boolean => typed.trim().toLowerCase() === word;
