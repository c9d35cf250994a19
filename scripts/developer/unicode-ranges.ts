/**
 * Writes `contracts/libraries/UnicodeRanges.sol`, the characters that a store's name must not contain, from the Unicode
 * tables of this Node. A test compares the file with them.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isBlank, isHiddenCharacter, isMark } from "../../core/rules/chain-text.ts";

export const UNICODE_RANGES_PATH = join(import.meta.dirname, "../../contracts/libraries/UnicodeRanges.sol");

const LAST_CODE_POINT = 0x10ffff;
const HEX_DIGITS_A_LINE = 100;

/** The contract rejects these before it looks at the ranges. */
const isControl = (character: string) => /\p{Cc}/u.test(character);

/** The numbers of the kinds, two bits each; 0 is every other character. */
const KINDS = { HIDDEN: 1, MARK: 2, BLANK: 3 };
const LONGEST = 0x1ff;

/** The expected source of the library. */
export function unicodeRangesSource(): string {
  return `// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// Written by \`npx node tools/unicode-ranges.ts\` from Unicode ${process.versions.unicode}. Do not edit.

/// @title UnicodeRanges
/// @notice Ranges of code points that a store's name must not contain freely, in order, four bytes each, highest bits
/// first: \`first u21 | kind u2 | length u9\`.
library UnicodeRanges {
    /// @dev Invisible, a say in the direction of text, or no character at all.
    uint256 internal constant HIDDEN = ${KINDS.HIDDEN};

    /// @dev Drawn over or around the character before.
    uint256 internal constant MARK = ${KINDS.MARK};

    /// @dev Leaves its place empty.
    uint256 internal constant BLANK = ${KINDS.BLANK};

    bytes internal constant KINDS =${hexLines(ranges())};
}
`;
}

function kindOf(codePoint: number): number {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 0;
  const character = String.fromCodePoint(codePoint);
  if (isControl(character)) return 0;
  if (isHiddenCharacter(character)) return KINDS.HIDDEN;
  return isMark(character) ? KINDS.MARK : isBlank(character) ? KINDS.BLANK : 0;
}

function ranges(): { first: number; kind: number; length: number }[] {
  const found: { first: number; kind: number; length: number }[] = [];
  for (let codePoint = 0; codePoint <= LAST_CODE_POINT; codePoint++) {
    const kind = kindOf(codePoint);
    if (kind === 0) continue;
    const last = found.at(-1);
    const isNext = last?.kind === kind && last.first + last.length === codePoint && last.length < LONGEST;
    if (isNext) last.length++;
    else found.push({ first: codePoint, kind, length: 1 });
  }
  return found;
}

function hexLines(found: ReturnType<typeof ranges>): string {
  const hex = found
    .map(({ first, kind, length }) => (first * 2 ** 11 + kind * 2 ** 9 + length).toString(16).padStart(8, "0"))
    .join("");
  const lines = hex.match(new RegExp(`.{1,${HEX_DIGITS_A_LINE}}`, "g")) ?? [];
  return lines.map((line) => `\n        hex"${line}"`).join("");
}

if (import.meta.main) writeFileSync(UNICODE_RANGES_PATH, unicodeRangesSource());
