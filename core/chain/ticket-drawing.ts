import { getAddress, keccak256 } from "viem";
import { CLUB_PATTERNS, type ClubPattern } from "../rules/clubs/club.ts";
import type { TicketLook } from "../rules/clubs/ticket-look.ts";
import { percentText, reaisText } from "../rules/money.ts";
import type { PurchaseStatus } from "../rules/purchase/life.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { fitText, textWidth } from "./ticket-text-fit.ts";

/** What a ticket is drawn from. `look`: of its store, as the contract was told it. */
export type DrawnTicket = {
  id: bigint;
  storeId: number;
  store: string;
  valueCents: bigint;
  baseBps: bigint;
  bonusBps: bigint;
  buyer: WalletAddress;
  drawn: PurchaseStatus | "paid" | "returned";
  look: TicketLook;
  /** Of a ticket that nobody has: what stands for its number, and for its percent. */
  sample?: { word: string; percent: string };
};

const NIGHT = "#08201a";
const CONCRETE = "#33403a";
const CROWD = "#14493a";
const PAPER = "#faf6ea";
const INK = "#10261e";
const GREY = "#d9d4c5";
const CHARCOAL = "#3d3d3d";
const LABEL = "#4f6158";
const PITCH = "#0b5138";
const MOWN = "#0f6144";
const CHALK = "#efe8d3";
const GREEN = "#0b8448";
const YELLOW = "#d99a00";
const AMBER = "#8a5a00";
const BROWN = "#7a5000";
const WHITE = "#fff";
const GOLD = "#e0a526";
const NEUTRAL = ["#e0a526", "#c4572f", "#2f7f86", "#8a9a3b", "#4f7ea8", "#a34a5e"];

const CANVAS = "M0 0h600v600H0z";
const SPECTATORS = "M13 8a6 6 0 11-.1 0zM3 32a10 10 0 0120 0zM38 33a6 6 0 11-.1 0zM28 57a10 10 0 0120 0z";
const TICKET = "M68 40h464a28 28 0 0128 28v322a22 22 0 00-22 22H62a22 22 0 00-22-22V68a28 28 0 0128-28z";
const HEADER = "M68 40h464a28 28 0 0128 28v54H40V68a28 28 0 0128-28z";
const STUB = "M62 412h476a22 22 0 0022 22v98a28 28 0 01-28 28H68a28 28 0 01-28-28v-98a22 22 0 0022-22z";
const FONTS = "'Roboto Condensed','Arial Narrow','Liberation Sans Narrow',Arial,sans-serif";

const LEFT = 62;
const LINE = 476;
/** Half the height of the pitch. */
const MIDDLE = 267;

/**
 * The SVG that the contract draws of a ticket, byte for byte (`contracts/libraries/TicketArt.sol`, which says why it looks
 * so): for where its node cannot be asked, or not now. docs/product.md#ticket-picture
 */
export function drawTicket(ticket: DrawnTicket): string {
  const stubPaper = isGreen(ticket.drawn) ? GREEN : ticket.drawn === "cancelled" ? GREY : PAPER;
  const drawing = [
    stands(ticket.look),
    paper(ticket),
    `${shape(stubPaper, STUB)}<g stroke-linecap="round">${line(NIGHT, 5, "M76 412h452", "0 14")}</g>`,
    heading(ticket),
    cashback(ticket),
    stub(ticket),
    stamp(ticket),
  ];
  const root = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600" role="img"';
  const text = `font-family="${FONTS}" font-weight="700" text-rendering="geometricPrecision"`;
  return `<svg ${root}><title>Torcida nº ${ticket.id}</title><g ${text}>${drawing.join("")}</g></svg>`;
}

/** The crowd, in the dark; where its store has two colours it is lit, and wears them. */
function stands({ first, second, pattern }: TicketLook): string {
  const isWorn = first !== 0 && second !== 0;
  const crowd =
    spectators("a", isWorn ? hex(above(first, CONCRETE)) : CROWD) +
    shape(isWorn ? CONCRETE : NIGHT, CANVAS) +
    shape("url(#a)", CANVAS);
  if (!isWorn) return crowd;
  const { width, path } = WORN[CLUB_PATTERNS[pattern] ?? "plain"];
  const dashes = width === 600 ? "50" : "";
  return crowd + spectators("d", hex(above(second, CONCRETE))) + line("url(#d)", width, path.padEnd(17), dashes);
}

/** The line of those who wear the second colour. */
const WORN: Record<ClubPattern, { width: number; path: string }> = {
  plain: { width: 50, path: "M0 25h600m0 550H0" },
  stripes: { width: 600, path: "M0 300h600" },
  hoops: { width: 600, path: "M300 0v600" },
  halves: { width: 300, path: "M450 0v600" },
  sash: { width: 300, path: "M0 0l600 600" },
  chest_band: { width: 150, path: "M0 225h600" },
  centre_band: { width: 200, path: "M300 0v600" },
};

const spectators = (id: string, fill: string): string =>
  `<pattern id="${id}" width="50" height="50" patternUnits="userSpaceOnUse">${shape(fill, SPECTATORS)}</pattern>`;

/** The ticket with a pitch of its own, by its id, store and value. */
function paper({ id, storeId, valueCents, look }: DrawnTicket): string {
  const seed = BigInt(hashOf(id, BigInt(storeId), valueCents));
  const some = (shift: bigint, count: bigint) => Number((seed >> shift) % count);
  const stripe = 60 + 2 * some(0n, 41n);
  const centre = 180 + some(64n, 241n);
  const radius = 56 + some(96n, 31n);
  const depth = 44 + some(128n, 37n);
  const half = 60 + some(160n, 51n);
  const top = MIDDLE - half;
  const markings = [
    `M${centre} 122v290M${centre} ${MIDDLE - radius}a${radius} ${radius} 0 11-.1 0z`,
    `M40 ${top}h${depth}v${2 * half}H40M560 ${top}h-${depth}v${2 * half}h${depth}`,
  ];
  const { first, second } = look;
  const isSecondSeen = onEdge(first) !== first && second !== 0 && onEdge(second) === second;
  const neutral = numberOf(NEUTRAL[storeId % NEUTRAL.length] ?? "");
  const edge = first === 0 ? neutral : isSecondSeen ? second : first;
  const skew = `skewX(${some(32n, 31n)})`;
  return [
    shape(PAPER, TICKET),
    shape(PITCH, HEADER),
    `<pattern id="c" height="600" patternUnits="userSpaceOnUse" width="${stripe}" patternTransform="${skew}">`,
    `${shape(MOWN, `M0 0h${stripe / 2}v600H0z`)}</pattern>${shape("url(#c)", HEADER)}`,
    line(CHALK, 5, markings.join("")),
    shape(hex(onEdge(edge)), "M40 122h520v8H40z"),
  ].join("");
}

const onEdge = (colour: number): number => between(between(colour, PITCH, PAPER), MOWN, PAPER);

const isGreen = (drawn: DrawnTicket["drawn"]): boolean => drawn === "confirmed" || drawn === "paid";

/** Whose ticket it is: the collection's name, its number, its place in the stands, and the store. */
function heading({ id, storeId, store, sample }: DrawnTicket): string {
  const digits = String(id);
  const number = digits.length > 11 ? `${digits.slice(0, 4)}…${digits.slice(-4)}` : digits;
  const place = [
    `SETOR ${String.fromCharCode(65 + (storeId % 26))}`,
    `FILA ${((id / 40n) % 90n) + 1n}`,
    `LUGAR ${(id % 40n) + 1n}`,
  ];
  const name = words(store, { x: LEFT, y: 204, room: LINE, size: 44, smallest: 20, fill: INK });
  return [
    `<g font-weight="900">${words("TORCIDA", { x: LEFT, y: 100, room: 272, size: 52, fill: PAPER })}</g>`,
    words(sample?.word ?? `Nº ${number}`, { x: 538, y: 97, room: 190, size: 34, fill: PAPER, anchor: "end" }),
    words(place.join(" · "), { x: 538, y: 157, room: 330, size: 20, fill: LABEL, anchor: "end" }),
    label("LOJA", 157),
    `<clipPath id="b">${shape(INK, "M52 162h496v60H52z")}</clipPath><g clip-path="url(#b)">${name}</g>`,
  ].join("");
}

/** The percent; a bonus on a golden ribbon as long as its text. */
function cashback({ baseBps, bonusBps, sample }: DrawnTicket): string {
  const promised = sample?.percent ?? `${percentText(baseBps + bonusBps)}%`;
  const percent = words(promised, { x: 56, y: 324, room: LINE, size: 136, fill: INK });
  const drawn = `<g font-weight="900">${percent}</g>${label("CASHBACK", 356)}`;
  const below = { x: LEFT, y: 387, room: 290, size: 22, fill: INK };
  if (bonusBps === 0n) return drawn + words("em CHZ", below);
  const text = `inclui ${percentText(bonusBps)}% de bônus`;
  const length = Math.floor((textWidth(text) * fitText(text, below.room, below.size).size) / 100);
  return drawn + shape(GOLD, `M62 364h${length}a16 16 0 010 32h-${length}a16 16 0 010-32z`) + words(text, below);
}

function stub({ id, valueCents, buyer, drawn }: DrawnTicket): string {
  const ink = isGreen(drawn) ? WHITE : INK;
  const wallet = getAddress(buyer);
  const [whole = "", cents = ""] = reaisText(valueCents).split(".");
  // By number and buyer: no two tickets have the same bar code.
  const seed = hashOf(id, BigInt(buyer)).slice(2);
  const bars = seed.replace(/../g, (byte) => `${2 + (Number.parseInt(byte, 16) % 8)} `);
  const value = `R$ ${whole.replace(/\B(?=(\d{3})+$)/g, ".")},${cents}`;
  return [
    `<g letter-spacing="3">${words("VALOR", { x: LEFT, y: 450, room: 120, size: 20, fill: ink })}</g>`,
    words(value, { x: LEFT, y: 500, room: 296, size: 44, fill: ink }),
    words(`${wallet.slice(0, 6)}…${wallet.slice(38)}`, { x: LEFT, y: 538, room: 290, size: 24, fill: ink }),
    line(ink, 30, "M372 530h166", bars),
  ].join("");
}

/** Of `abi.encode`. */
const hashOf = (...numbers: bigint[]): string =>
  keccak256(`0x${numbers.map((number) => number.toString(16).padStart(64, "0")).join("")}`);

function stamp({ drawn }: DrawnTicket): string {
  if (isGreen(drawn))
    return pressed(
      disc(86, GREEN, PAPER, 7),
      disc(74, "none", PAPER, 2),
      line(WHITE, 18, "M-41-24l29 28 54-58"),
      stampWord(drawn === "paid" ? "PAGO" : "CONFIRMADO", WHITE),
    );
  if (drawn === "cancelled")
    return (
      line(INK, 14, "M62 388L538 180") +
      pressed(
        disc(84, GREY, CHARCOAL, 11),
        line(CHARCOAL, 16, "M-25-54l50 50m0-50l-50 50"),
        stampWord("CANCELADO", CHARCOAL),
      )
    );
  const clock = "M0-54v30l20 11M0-56a33 33 0 11-.1 0z";
  const wayBack = "M-8-50l-24 20 24 20M-30-30H12a18 18 0 010 36H-14";
  return pressed(
    disc(84, PAPER, YELLOW, 11),
    disc(71, "none", YELLOW, 2),
    line(AMBER, 9, drawn === "returned" ? wayBack : clock),
    stampWord(drawn === "returned" ? "DEVOLVIDO" : "PENDENTE", BROWN),
  );
}

const pressed = (...content: string[]): string =>
  `<g transform="translate(455 412) rotate(-10)">${content.join("")}</g>`;

const stampWord = (word: string, fill: string): string =>
  words(word, { x: 0, y: 39, room: 122, size: 20, fill, anchor: "middle" });

const label = (text: string, y: number): string =>
  `<g letter-spacing="3">${words(text, { x: LEFT, y, room: 160, size: 20, fill: LABEL })}</g>`;

type Place = {
  x: number;
  y: number;
  room: number;
  size: number;
  fill: string;
  smallest?: number;
  anchor?: "start" | "middle" | "end";
};

function words(text: string, { x, y, room, size, fill, smallest, anchor = "start" }: Place): string {
  const fitted = fitText(text, room, size, smallest);
  const escaped = fitted.text.replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? "");
  return `<text x="${x}" y="${y}" font-size="${fitted.size}" text-anchor="${anchor}" fill="${fill}">${escaped}</text>`;
}

const ESCAPED: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const shape = (fill: string, path: string): string => `<path fill="${fill}" d="${path}"/>`;

const line = (stroke: string, width: number, path: string, dashes = ""): string =>
  `<path fill="none" stroke="${stroke}" stroke-width="${width}"${dashes && ` stroke-dasharray="${dashes}"`} d="${path}"/>`;

const disc = (radius: number, fill: string, stroke: string, width: number): string =>
  `<circle r="${radius}" fill="${fill}" stroke="${stroke}" stroke-width="${width}"/>`;

/** The least squared distance from a darker and from a lighter neighbour. */
const FROM_DARKER = 6_000;
const FROM_LIGHTER = 12_000;

/** `contracts/libraries/TicketColour.sol`. */
function between(colour: number, darker: string, lighter: string): number {
  let mixed = colour;
  while (distance(mixed, lighter) < FROM_LIGHTER) mixed = mix(mixed, (channel) => Math.floor((channel * 15) / 16));
  return above(mixed, darker);
}

function above(colour: number, dark: string): number {
  let mixed = colour;
  while (distance(mixed, dark) < FROM_DARKER) mixed = mix(mixed, (channel) => Math.floor((channel * 15 + 270) / 16));
  return mixed;
}

function distance(one: number, other: string): number {
  const [red = 0, green = 0, blue = 0] = [16, 8, 0].map(
    (shift) => (((one >> shift) & 0xff) - ((numberOf(other) >> shift) & 0xff)) ** 2,
  );
  return 2 * red + 4 * green + 3 * blue;
}

const mix = (colour: number, moved: (channel: number) => number): number =>
  [16, 8, 0].reduce((mixed, shift) => mixed | (moved((colour >> shift) & 0xff) << shift), 0);

const numberOf = (colour: string): number => Number.parseInt(colour.slice(1), 16);
const hex = (colour: number): string => `#${colour.toString(16).padStart(6, "0")}`;
