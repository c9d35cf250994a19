import { ownValue } from "../../core/rules/records.ts";

/** Two colours of a shirt as hue, saturation and lightness in percent. */
export type ClubColours = { first: Hsl; second: Hsl; pattern: "stripes" | "hoops" | "plain" | "halves" };
export type Hsl = readonly [hue: number, saturation: number, lightness: number];

/** The colours that fans expect; never a crest. */
const KNOWN: Record<string, ClubColours> = {
  palmeiras: { first: [150, 70, 22], second: [60, 20, 94], pattern: "plain" },
  verdao: { first: [150, 70, 22], second: [60, 20, 94], pattern: "plain" },
  "paris saint-germain": { first: [218, 75, 22], second: [353, 75, 42], pattern: "halves" },
  psg: { first: [218, 75, 22], second: [353, 75, 42], pattern: "halves" },
  flamengo: { first: [356, 80, 34], second: [0, 0, 10], pattern: "hoops" },
  corinthians: { first: [0, 0, 14], second: [0, 0, 94], pattern: "plain" },
  santos: { first: [0, 0, 16], second: [0, 0, 94], pattern: "stripes" },
  "são paulo": { first: [356, 75, 36], second: [0, 0, 12], pattern: "hoops" },
  barcelona: { first: [220, 80, 28], second: [340, 75, 34], pattern: "stripes" },
  "fc barcelona": { first: [220, 80, 28], second: [340, 75, 34], pattern: "stripes" },
  juventus: { first: [0, 0, 12], second: [0, 0, 94], pattern: "stripes" },
};
const PATTERNS = ["stripes", "hoops", "halves"] as const;

/** An unknown club also gets colours, derived from its name. */
export function coloursOf(club: string): ClubColours {
  const known = ownValue(KNOWN, club.trim().toLowerCase());
  if (known) return known;
  let seed = 7;
  for (const letter of club.trim().toLowerCase()) seed = (Math.imul(seed, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  const hue = seed % 360;
  return {
    first: [hue, 62, 26],
    second: [(hue + 150 + (seed % 60)) % 360, 65, 60],
    pattern: PATTERNS[seed % PATTERNS.length] ?? "stripes",
  };
}

export const css = ([hue, saturation, lightness]: Hsl): string => `hsl(${hue} ${saturation}% ${lightness}%)`;

/** Chalk, the text colour on an accent. */
const CHALK: Rgb = [0xf7, 0xf4, 0xea];
/** WCAG 2.2 for text, with a margin for the stands drawn over it. */
const CONTRAST = 7;

/** A club's first colour, darkened until chalk text is readable on it, in both themes. */
export function accentOf(club: string): Hsl {
  const [hue, saturation, start] = coloursOf(club).first;
  let lightness = start;
  while (lightness > 4 && contrast(CHALK, rgb([hue, saturation, lightness])) < CONTRAST) lightness--;
  return [hue, saturation, lightness];
}

type Rgb = readonly [number, number, number];

function rgb([hue, saturation, lightness]: Hsl): Rgb {
  const l = lightness / 100;
  const a = (saturation / 100) * Math.min(l, 1 - l);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Exported for its test. */
export const chalkContrastOf = (club: string): number => contrast(CHALK, rgb(accentOf(club)));
