/**
 * Writes `contracts/libraries/UnicodeRanges.sol`, the characters that a store's name must not contain, from the Unicode
 * tables of this Node. A test compares the file with them.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isBlank, isHiddenCharacter, isMark } from "../domain/chain-text.ts";

export const UNICODE_RANGES_PATH = join(import.meta.dirname, "../contracts/libraries/UnicodeRanges.sol");

const LAST_CODE_POINT = 0x10ffff;
const HEX_DIGITS_A_LINE = 96;

/** The contract rejects these before it looks at the ranges. */
const isControl = (character: string) => /\p{Cc}/u.test(character);

/** The expected source of the library. */
export function unicodeRangesSource(): string {
  return `// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// Written by \`npx node tools/unicode-ranges.ts\` from Unicode ${process.versions.unicode}. Do not edit.

/// @title UnicodeRanges
/// @notice Ranges of code points, in order, two numbers each: how far the first lies behind the last of the range before,
/// and how far the last lies behind the first. A number is written in groups of seven bits, the highest first; all but its
/// last have the eighth bit.
library UnicodeRanges {
    /// @dev Invisible, a say in the direction of text, or no character at all.
    bytes internal constant HIDDEN =${ranges((character) => isHiddenCharacter(character) && !isControl(character))};

    /// @dev Drawn over or around the character before.
    bytes internal constant MARKS =${ranges(isMark)};

    /// @dev Leaves its place empty.
    bytes internal constant BLANK =${ranges(isBlank)};
}
`;
}

function ranges(isIn: (text: string) => boolean): string {
  const found: [number, number][] = [];
  for (let codePoint = 0; codePoint <= LAST_CODE_POINT; codePoint++) {
    const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
    if (isSurrogate || !isIn(String.fromCodePoint(codePoint))) continue;
    const last = found.at(-1);
    if (last?.[1] === codePoint - 1) last[1] = codePoint;
    else found.push([codePoint, codePoint]);
  }
  let end = 0;
  const numbers = found.flatMap(([first, last]) => {
    const pair = [first - end, last - first];
    end = last;
    return pair;
  });
  const hex = Buffer.from(numbers.flatMap(inSevens)).toString("hex");
  const lines = hex.match(new RegExp(`.{1,${HEX_DIGITS_A_LINE}}`, "g")) ?? [];
  return lines.map((line) => `\n        hex"${line}"`).join("");
}

/** A number in groups of seven bits, the highest first; all but the last group have the eighth bit set. */
function inSevens(number: number): number[] {
  const groups = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

if (import.meta.main) writeFileSync(UNICODE_RANGES_PATH, unicodeRangesSource());
