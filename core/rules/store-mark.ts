import type { ClubGround } from "./clubs/club-colours.ts";

/**
 * The drawn mark of a store without a logo: the same store has the same mark everywhere; neighbouring stores get
 * different ones.
 */
export type DrawnMark = {
  /** Paths in a 64 × 64 square. */
  shape: string;
  pattern: string;
  fill: string;
  stroke: string;
  ink: string;
  letter: string;
};

const SHAPES = [
  "M8 8h48v48H8z",
  "M32 4l28 28-28 28L4 32z",
  "M32 4a28 28 0 1 0 0 56 28 28 0 0 0 0-56z",
  "M6 14l26-8 26 8v22c0 12-10 19-26 24C16 55 6 48 6 36z",
  "M18 4h28l14 14v28L46 60H18L4 46V18z",
  "M6 10h52v10a8 8 0 0 0 0 16v18H6V36a8 8 0 0 0 0-16z",
] as const;
const PATTERNS = [
  "M20 0v64M32 0v64M44 0v64",
  "M0 20h64M0 32h64M0 44h64",
  "M-8 40L40-8M0 64L64 0M24 72L72 24",
  "M32 0v64M0 32h64",
  "M32 18a14 14 0 1 0 0 28 14 14 0 0 0 0-28",
] as const;

function seedOf(text: string): number {
  let seed = 2_166_136_261;
  for (const letter of text) seed = Math.imul(seed ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return seed;
}

/**
 * Derived from the name, and the colours of its club if that is known, so that browser and shared picture draw the same one
 * without asking each other.
 */
export function drawnMark(name: string, club?: ClubGround): DrawnMark {
  const seed = seedOf(name);
  const hue = seed % 360;
  const second = (hue + 40 + ((seed >>> 9) % 160)) % 360;
  return {
    shape: SHAPES[(seed >>> 3) % SHAPES.length] ?? SHAPES[0],
    pattern: PATTERNS[(seed >>> 6) % PATTERNS.length] ?? PATTERNS[0],
    fill: club?.ground ?? `hsl(${hue} 55% 32%)`,
    stroke: club?.trim ?? `hsl(${second} 70% 58%)`,
    ink: club?.ink ?? "#ffffff",
    letter: name.trim().slice(0, 1).toUpperCase(),
  };
}
