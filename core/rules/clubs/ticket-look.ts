import { CLUB_PATTERNS, type ClubLook } from "./club.ts";

/** `StoreLook` of `contracts/interfaces/IPurchaseNFT.sol`: colours as 0xRRGGBB; all 0: the contract picks. */
export type TicketLook = { first: number; second: number; pattern: number };

export const NO_LOOK: TicketLook = { first: 0, second: 0, pattern: 0 };

/** The contract reads 0 as none, so black is the darkest blue. */
const BLACK = 0x000001;

/**
 * How the contract is told to draw the tickets of a club's store: in the first two colours of its shirt, with the pattern by
 * its place in `CLUB_PATTERNS`. docs/product.md#ticket-look
 * @example
 * ticketLook({ colours: ["#ffffff", "#000000"], pattern: "plain" }) // { first: 0xffffff, second: 1, pattern: 0 }
 */
export function ticketLook({ colours: [cloth = "", second = ""], pattern }: ClubLook): TicketLook {
  return { first: numberOf(cloth), second: numberOf(second), pattern: CLUB_PATTERNS.indexOf(pattern) };
}

const numberOf = (colour: string): number => Number.parseInt(colour.slice(1), 16) || BLACK;

export const sameLook = (one: TicketLook, other: TicketLook): boolean =>
  one.first === other.first && one.second === other.second && one.pattern === other.pattern;
