import type { ClubLook } from "./club.ts";

/** The outline of a shirt in a 64 × 64 square; it never has a crest. docs/product.md#clubs */
export const SHIRT = "M20 8l-14 8 5 14 7-3v29h28V27l7 3 5-14-14-8c-3 6-21 6-24 0z";

type Line = readonly [width: number, path: string];

/** What lies on the cloth, in the second colour and in a third one: between two broad stripes that is a thin line. */
const DRAWN: Record<ClubLook["pattern"], readonly [second: Line, third?: Line]> = {
  // Collar and cuffs.
  plain: [[7, "M44 8c-3 6-21 6-24 0M6 16l5 14M58 16l-5 14"]],
  stripes: [
    [7, "M11 0v64M25 0v64M39 0v64M53 0v64"],
    [2, "M7.5 0v64M14.5 0v64M21.5 0v64M28.5 0v64M35.5 0v64M42.5 0v64M49.5 0v64M56.5 0v64"],
  ],
  hoops: [
    [7, "M0 20h64M0 34h64M0 48h64"],
    [2, "M0 16.5h64M0 23.5h64M0 30.5h64M0 37.5h64M0 44.5h64M0 51.5h64"],
  ],
  halves: [[32, "M48 0v64"]],
  sash: [[9, "M10 8l44 52"]],
  chest_band: [
    [6, "M0 26h64"],
    [6, "M0 36h64"],
  ],
  centre_band: [
    [14, "M32 0v64"],
    [3, "M23.5 0v64M40.5 0v64"],
  ],
};

/** A chest band of one colour. */
const ONE_BAND: Line = [12, "M0 30h64"];

/** The colour of a club's cloth, and the lines on it, inside of `SHIRT`: the same on screen and in pictures. */
export function shirtOf({ colours: [cloth = "", second = "", third], pattern }: ClubLook) {
  const [own, more] = DRAWN[pattern];
  const [width, path] = pattern === "chest_band" && !third ? ONE_BAND : own;
  const lines = [{ colour: second, width, path }];
  if (third && more) lines.push({ colour: third, width: more[0], path: more[1] });
  return { cloth, lines };
}
