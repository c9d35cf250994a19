/** Fits text as `contracts/libraries/TextFit.sol` does, which says why. */

/** In hundredths of the font size, two digits of hex a letter; marks have no width. */
const WIDTHS: readonly (readonly [first: number, end: number, widths: string])[] = [
  // Ascii
  [
    0x20,
    0x7f,
    "232e3554466e581f2e2e3854262a262a4747474747474747474728285454543a644e4d4a534545535426264e406454554a554d4845524e6f4e49492e2a2e54323244483c48442c4848232343236948454848323c3048425d41423b48384854",
  ],
  // Latin
  [
    0xc0,
    0x100,
    "4e4e4e4e4e4e6b494040404026262626545b5a5a5a5a5a415a56565656464750444444444444683a4343434324242424464b464646464641464b4b4b4b414741",
  ],
  // Greek
  [
    0x384,
    0x3cf,
    "444450224c63334461445b622f4e4c404b4042575a264b4a6a5b415a554744434246614c635926464a404b2f4a4a4b414640394b462f46464b4439465446394a3d4a59435f612f4a464a61",
  ],
  // Cyrillic
  [
    0x400,
    0x460,
    "40405b404d3f26262671715b4c5d4b554e494c4056406a4a5d5d4c556a575a554749424b614c5853797d5367494b784c444647374b4362405151464a5f4b464a473a3f415b424e4b6d6e5060453a634343434b373b3924242464644b4651414c",
  ],
  // Hebrew
  [0x5d0, 0x5eb, "4a42353f4b24274b4a223c3b3d4b4e2231464749464146493c584f"],
  // Arabic
  [0x621, 0x64b, "3c3c3c3c3c523c723c72724a4a4a3c3c3c3c9090909056563c3c5f5f5252523c7056614f42514d3c5252"],
  // Devanagari
  [
    0x900,
    0x980,
    "0000004d59597738383f5761504141414177777777575c42454849505355583a413d4054424b3c49424242574252454430304e55554050434e3d005400395454540000000000000000545454540056546b00000000000000575c42533d405744615000002c443c3c3c3c3c3c3c3c3c3c31255959777759594053444253363d42",
  ],
  // Thai
  [
    0xe01,
    0xe5c,
    "423f404546443d3c424040616244443d456262434543443c45434448484d4c4445423843404437464840424b3f403a2800303000000000000000404040403e264427262730440000000000000000443d39443d3a3b394f3d3b575f",
  ],
];

const ELLIPSIS_WIDTH = 100;

/** A text and the font size at which it is no wider than `room`; one that would get smaller than `smallest` is cut. */
export function fitText(text: string, room: number, largest: number, smallest = 1): { text: string; size: number } {
  const width = textWidth(text);
  if (width * smallest > room * 100) return { text: cut(text, Math.floor((room * 100) / smallest)), size: smallest };
  return { text, size: width === 0 ? largest : Math.min(largest, Math.floor((room * 100) / width)) };
}

/** The maximum width of a text, in hundredths of the font size. */
export const textWidth = (text: string): number => [...text].reduce((width, letter) => width + letterWidth(letter), 0);

/** Keeps no space before the ellipsis. */
function cut(text: string, room: number): string {
  let width = ELLIPSIS_WIDTH;
  let kept = "";
  for (const letter of text) {
    width += letterWidth(letter);
    if (width > room) break;
    kept += letter;
  }
  return `${kept.replace(/ +$/, "")}…`;
}

function letterWidth(letter: string): number {
  const code = letter.codePointAt(0) ?? 0;
  for (const [first, end, widths] of WIDTHS)
    if (code >= first && code < end)
      return Number.parseInt(widths.slice(2 * (code - first), 2 * (code - first) + 2), 16);
  if (code < 0xc0) return 105; // signs such as º and ½
  if (code < 0x300) return code < 0x180 ? 117 : code >= 0x1c4 && code < 0x1f4 ? 156 : 129;
  return isMark(code) ? 0 : otherWidth(code);
}

/** Drawn over the letter before: of Latin, Greek and Cyrillic, of Hebrew and of Arabic. */
const isMark = (code: number): boolean =>
  code < 0x370 || (code >= 0x483 && code < 0x488) || (code >= 0x591 && code < 0x5be) || (code >= 0x64b && code < 0x660);

/** As wide as letters of the script get. */
function otherWidth(code: number): number {
  if (code < 0x600) return code >= 0x460 && code < 0x530 ? 141 : 110; // Cyrillic; Greek, Armenian
  if (code < 0x800) return 138; // Arabic and similar scripts
  if (code >= 0x1400 && code < 0x1700) return 205; // Canadian syllabics, Ogham
  if (code >= 0x2010 && code < 0x2030) return ELLIPSIS_WIDTH; // dashes, quotation marks
  if (code === 0x2031) return 190; // per ten thousand
  if (code >= 0x2e80 && code < 0xa4d0) return 100; // Chinese and Japanese
  if (code >= 0xac00 && code < 0xd7a4) return 100; // Korean
  if (code === 0x2e3a || code === 0x2e3b) return 310; // two-em and three-em dashes
  if (code >= 0xfdfa && code < 0xfdfe) return 1200; // Arabic phrases as single characters
  if (code >= 0x12000 && code < 0x12550) return 600; // cuneiform
  return 175;
}
