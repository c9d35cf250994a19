import type { ClubLook, ClubPattern } from "./club.ts";

/** The stands of a club's page and its picture: 1200 wide. docs/product.md#club-page */
export const STANDS = { width: 1200, height: 300, concrete: "#33403a" } as const;

const COLUMNS = 92;
const ROWS = 17;
/** Stairs, every so many columns. */
const BLOCK = 23;
/** The first row is the farthest: its seats are the lowest. */
const FAR = 11;
const NEAR = 17;
/** By how much the middle of a row is nearer than its ends. */
const BEND = 26;
/** Of a hundred seats so many are empty, and so many people stand up. */
const EMPTY = 5;
const STANDING = 12;

/** Which colour somebody at (across, down), each from 0 to 1, holds up: the shirt's pattern, over the whole stand. */
const HELD: Record<ClubPattern, (across: number, down: number, count: number) => number> = {
  plain: (_across, down) => (down < 0.13 || down > 0.88 ? 1 : 0),
  stripes: (across, _down, count) => Math.floor(across * 12) % count,
  hoops: (_across, down, count) => Math.floor(down * 6) % count,
  halves: (across, _down, count) => Math.min(count - 1, Math.floor(across * 2)),
  sash: (across, down) => (Math.abs((across - 0.5) * 1.9 - (down - 0.5)) < 0.24 ? 1 : 0),
  chest_band: (_across, down, count) => {
    if (down < 0.3 || down > 0.7) return 0;
    if (count < 3) return down < 0.36 || down > 0.64 ? 0 : 1;
    return down < 0.45 ? 1 : down > 0.55 ? 2 : 0;
  },
  centre_band: (across, _down, count) => {
    const away = Math.abs(across - 0.5);
    return away < 0.1 ? 1 : away < 0.14 ? count - 1 : 0;
  },
};

/**
 * The club's fans in the stands, who hold up the colours of its shirt: one path a colour, the same wherever it is drawn.
 * @example
 * standsOf({ colours: ["#000000", "#ffffff"], pattern: "stripes" }).map(({ colour }) => colour) // ["#000000", "#ffffff"]
 */
export function standsOf({ colours, pattern }: ClubLook): { colour: string; path: string }[] {
  const paths = colours.map(() => "");
  let top = 8;
  for (let row = 0; row < ROWS; row++) {
    const high = FAR + ((NEAR - FAR) * row) / (ROWS - 1);
    for (let column = 0; column < COLUMNS; column++) {
      // From 0 to 99, the same for the same seat.
      const seat = row * COLUMNS + column + 1;
      const mixed = Math.imul(seat ^ (seat >>> 5), 2_246_822_519);
      const chance = (Math.imul(mixed ^ (mixed >>> 13), 3_266_489_917) >>> 16) % 100;
      if (column % BLOCK === 0 || chance < EMPTY) continue;
      const across = (column + 0.5) / COLUMNS;
      const held = HELD[pattern](across, (row + 0.5) / ROWS, colours.length);
      const bend = BEND * (1 - (2 * across - 1) ** 2);
      const up = chance >= 100 - STANDING ? 3 : 0;
      const x = (across * STANDS.width - 5).toFixed(0);
      paths[held] += `M${x} ${(top + bend - up).toFixed(0)}h10v${(high - 4).toFixed(0)}h-10z`;
    }
    top += high;
  }
  return colours.flatMap((colour, index) => (paths[index] ? [{ colour, path: paths[index] }] : []));
}
