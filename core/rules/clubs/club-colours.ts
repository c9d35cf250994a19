import type { ClubLook } from "./club.ts";

/** Chalk and ink of the design, the same in both themes: what is written on a colour. */
export const CHALK = "#f7f4ea";
const INK = "#12201a";
const YELLOW = "#ffc93c";
/** A colour that text stands on, that text's colour, and that of a mark or a large figure beside it. */
export type Ground = { ground: string; ink: string; mark: string };
/** `trim`: another colour of the shirt. */
export type ClubGround = Ground & { trim: string };

/** From this contrast on a colour is darkened for chalk; a lighter one takes ink, which then stands above 5:1. */
const DARK_ENOUGH = 3;
/** WCAG 2.2 wants 4.5:1 for text: the rest is for the lines that are drawn under it. */
const CONTRAST = 5.5;
/** Nearer to paper than this, a colour is no ground while the shirt has another. */
const PAPER = 1.2;

/**
 * What to write on a colour: chalk on a dark one, darkened as far as that needs, ink on a light one.
 * @example
 * groundOf("#ffd400") // { ground: "#ffd400", ink: "#12201a", mark: "#12201a" }
 */
export function groundOf(colour: string): Ground {
  if (contrast(CHALK, colour) < DARK_ENOUGH) return { ground: colour, ink: INK, mark: INK };
  let ground = colour;
  while (contrast(CHALK, ground) < CONTRAST) ground = hex(channels(ground).map((one) => one * 0.98));
  return { ground, ink: CHALK, mark: YELLOW };
}

/** A club's ground: the first colour of its shirt that is not white. docs/product.md#clubs */
export function clubGround({ colours }: Pick<ClubLook, "colours">): ClubGround {
  const cloth = colours.find((one) => contrast(CHALK, one) > PAPER) ?? colours[0] ?? INK;
  const ground = groundOf(cloth);
  return { ...ground, trim: colours.find((one) => one !== cloth) ?? ground.ink };
}

/** WCAG 2.2: from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const channels = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

const hex = (rgb: readonly number[]): string =>
  `#${rgb.map((one) => Math.floor(one).toString(16).padStart(2, "0")).join("")}`;
