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

/** Whether a character combines with the preceding one. */
export function isMark(character: string): boolean {
  return MARK.test(character) && !isHiddenCharacter(character);
}

/** Whether a character takes up space but draws nothing. */
export function isBlank(character: string): boolean {
  return BLANK.test(character);
}

/**
 * Whether a name is readable as stored: it has visible characters, nothing invisible, nothing that changes the text
 * direction, and at most one mark per character. Such text can be drawn on a ticket.
 */
export function isReadableName(name: string): boolean {
  const characters = [...name];
  if (!name.isWellFormed() || characters.some(isHiddenCharacter)) return false;
  const stacks = characters.some((one, index) => isMark(one) && (index === 0 || isMark(characters[index - 1] ?? "")));
  return !stacks && characters.some((one) => !isBlank(one) && !isMark(one));
}

/** Whether this URL is allowed for a purchase's own metadata: https or ipfs, only with characters of RFC 3986. */
export function isMetadataAddress(address: string): boolean {
  return ADDRESS.test(address);
}
