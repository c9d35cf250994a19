/** Text that the contracts accept: the rules of `PlainText.isName` and `WebAddress`, checked in advance. */

/** Invisible, or changes the direction of surrounding text. Emoji variation selectors count as marks instead. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u;
/** Combines with the preceding character. */
const MARK = /[\p{Mn}\p{Me}]/u;
/** Takes up space but draws nothing. */
const BLANK = /[\p{Zs}\u2800]/u;

const ADDRESS = /^(https|ipfs):\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

/** Whether a character is invisible, changes the direction of text, or is not a valid character. */
export function isHiddenCharacter(character: string): boolean {
  return HIDDEN.test(character);
}

export function isMark(character: string): boolean {
  return MARK.test(character) && !isHiddenCharacter(character);
}

/** The contract's limits for a store's name; combining marks are not counted as letters. docs/product.md#store-name */
export const STORE_NAME_LETTERS = 40;
export const STORE_NAME_BYTES = 160;
/** The most combining marks of one letter: Thai has a vowel and a tone on one, Hindi a vowel sign and a nasal. */
const MARKS_MAX = 2;

/** The length of a name in characters other than combining marks. */
export function countLetters(name: string): number {
  return [...name].filter((one) => !isMark(one)).length;
}

/**
 * Whether a name is readable as stored: it has visible characters, nothing invisible, nothing that changes the text
 * direction, and at most two marks per character. Such text can be drawn on a ticket.
 */
export function isReadableName(name: string): boolean {
  const characters = [...name];
  if (!name.isWellFormed() || characters.some(isHiddenCharacter)) return false;
  // Starts as if all the marks of a letter came first, so that a name cannot begin with one.
  let marks = MARKS_MAX;
  for (const one of characters) {
    marks = isMark(one) ? marks + 1 : 0;
    if (marks > MARKS_MAX) return false;
  }
  return characters.some((one) => !BLANK.test(one) && !isMark(one));
}

/** Whether this URL is allowed for a purchase's own metadata: https or ipfs, only with characters of RFC 3986. */
export function isMetadataAddress(address: string): boolean {
  return ADDRESS.test(address);
}
