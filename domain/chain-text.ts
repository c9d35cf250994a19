/** Text that the contracts accept: the rules of `PlainText.isName` and `WebAddress`, checked before them. */

/** Invisible, or with a say in the direction of the text around it. Variation selectors of emoji count as marks instead. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]|(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u;
/** Drawn over or around the character before it. */
const MARK = /[\p{Mn}\p{Me}]/u;
/** Leaves its place empty. */
const BLANK = /[\p{Zs}\u2800]/u;

const ADDRESS = /^(https|ipfs):\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

/** Whether a character is invisible, has a say in the direction of text, or is none. */
export function isHiddenCharacter(character: string): boolean {
  return HIDDEN.test(character);
}

/** Whether a character is drawn over or around the one before it. */
export function isMark(character: string): boolean {
  return MARK.test(character) && !isHiddenCharacter(character);
}

/** Whether a character leaves its place empty. */
export function isBlank(character: string): boolean {
  return BLANK.test(character);
}

/**
 * Whether a name reads as it is stored: something of it can be seen, nothing in it is invisible or turns the direction of
 * text, and no character has more than one mark. Such text can be drawn on a ticket.
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
