declare const foreign: unique symbol;

/** A word that a later server answers, and this build does not know. */
export type ForeignWord = string & { readonly [foreign]: true };

/**
 * An answer as it may really arrive: each closed list of words may hold one that this build does not know. TypeScript
 * lets no such word index a table: look it up with `ownValue`, `isKeyOf` or `knownOf`. docs/upgrading.md
 */
export type Heard<T> = T extends string
  ? // Open texts, `0x…` among them, have room for any word.
    Record<never, never> extends Record<T, unknown>
    ? T
    : T | ForeignWord
  : T extends readonly (infer Item)[]
    ? Heard<Item>[]
    : T extends object
      ? { [Key in keyof T]: Heard<T[Key]> }
      : T;

/** The word, if it is one of those that this build knows. */
export function knownOf<Word extends string>(
  words: readonly Word[],
  word: string | null | undefined,
): Word | undefined {
  return words.find((one) => one === word);
}
