import { type DrawnTicket, drawTicket } from "../../../core/chain/ticket-drawing.ts";
import type { ClubLook } from "../../../core/rules/clubs/club.ts";
import { CHALK, clubGround, type Ground, groundOf as groundOn } from "../../../core/rules/clubs/club-colours.ts";
import { SHIRT, shirtOf } from "../../../core/rules/clubs/shirt.ts";
import { STANDS, standsOf } from "../../../core/rules/clubs/stands.ts";
import { NO_LOOK, ticketLook } from "../../../core/rules/clubs/ticket-look.ts";
import type { Language } from "../../../core/rules/languages.ts";
import { PRODUCT_NAME } from "../../../core/rules/product.ts";
import { drawnMark } from "../../../core/rules/store-mark.ts";
import { escapeHtml } from "../../../core/rules/text.ts";
import { textsIn } from "../../texts.ts";

/** The size that link previews crop least. */
export const CARD = { width: 1200, height: 630 } as const;

/** `percent` in the reader's locale, without the sign. `look`: of its club, if that is known. */
export type StoreCard = {
  name: string;
  percent: string;
  isRange: boolean;
  tags: readonly string[];
  look?: ClubLook | undefined;
};
/** `percent` and `paid`, what arrived in CHZ: in the reader's locale. */
export type TicketCard = Omit<DrawnTicket, "look"> & {
  percent: string;
  paid: string | undefined;
  look?: ClubLook | undefined;
};

/** `best`: the highest promise of its stores. `told`: of its fans in the last closed month, in the reader's locale. */
export type ClubCard = {
  name: string;
  look: ClubLook;
  count: number;
  best: { percent: string; isRange: boolean } | undefined;
  told: Record<"fans" | "amount" | "month", string> | null;
};

const PAPER = CHALK;
const PITCH = "#0b3d2e";
const YELLOW = "#ffc93c";
/** The colours of a store's club; without one that is known, the site's own. docs/product.md#clubs */
const groundOf = (look: ClubLook | undefined): Ground => (look ? clubGround(look) : groundOn(PITCH));

/** A store's picture for shared links: its colours, its mark, and its percent. */
export function drawStoreCard(store: StoreCard, language: Language): string {
  const t = textsIn(language);
  const {
    shape,
    pattern,
    fill,
    stroke,
    letter,
    ink: letterInk,
  } = drawnMark(store.name, store.look && clubGround(store.look));
  const { ground, ink, mark } = groundOf(store.look);
  const percentX = 80;
  return card(
    ground,
    [
      '<g transform="translate(80 84) scale(2.6)">',
      `<clipPath id="mark"><path d="${shape}"/></clipPath><path d="${shape}" fill="${fill}" stroke="${ink}" stroke-opacity="0.35"/>`,
      `<path clip-path="url(#mark)" d="${pattern}" fill="none" stroke="${stroke}" stroke-width="5" opacity="0.4"/>`,
      bold({ x: 32, y: 42, size: 30, text: letter, colour: letterInk, anchor: "middle" }),
      "</g>",
      bold({ x: 290, y: 165, size: fitted(store.name, 830, 92), text: store.name, colour: ink }),
      plain({ x: 292, y: 225, size: 32, text: store.tags.join("  ·  "), colour: ink }),
      ...(store.isRange ? [plain({ x: percentX, y: 350, size: 44, text: t("server.card.upTo"), colour: ink })] : []),
      `<text x="${percentX}" y="540" font-family="Archivo"><tspan font-size="220" font-weight="800" font-stretch="condensed" fill="${mark}">${escapeHtml(store.percent)}%</tspan><tspan dx="28" font-size="56" font-weight="600" fill="${ink}">${t("server.card.cashback")}</tspan></text>`,
      bold({ x: 1120, y: 570, size: 44, text: PRODUCT_NAME.toUpperCase(), colour: ink, anchor: "end" }),
    ].join(""),
  );
}

/** A club's picture for shared links: its fans in the stands, its shirt, and what its stores give. docs/product.md#club-page */
export function drawClubCard({ name, look, count, best, told }: ClubCard, language: Language): string {
  const t = textsIn(language);
  const { ground, ink, mark } = clubGround(look);
  const seats = standsOf(look).map(({ colour, path }) => `<path fill="${colour}" d="${path}"/>`);
  const cashback = best && `${best.isRange ? `${t("server.card.upTo")} ` : ""}${best.percent}%`;
  const below = told ? t("server.card.counted", told) : t("server.card.call");
  const svg = [
    `<rect width="${CARD.width}" height="${STANDS.height}" fill="${STANDS.concrete}"/>${seats.join("")}`,
    `<rect y="286" width="${CARD.width}" height="344" fill="${ground}"/><rect y="286" width="${CARD.width}" height="8" fill="${mark}"/>`,
    `<g transform="translate(46 190) scale(6.1)"><path d="${SHIRT}" fill="none" stroke="${ground}" stroke-width="8"/>${drawShirt(look, ink)}</g>`,
    plain({ x: 470, y: 348, size: 26, text: t("server.card.fans").toUpperCase(), colour: ink, spacing: 5 }),
    bold({ x: 1150, y: 350, size: 34, text: PRODUCT_NAME.toUpperCase(), colour: ink, anchor: "end", spacing: 4 }),
    bold({ x: 468, y: 428, size: fitted(name, 680, 88), text: name, colour: ink }),
    ...(cashback
      ? [
          bold({ x: 468, y: 526, size: 108, text: cashback, colour: mark }),
          plain({ x: 470, y: 568, size: 29, text: t("server.card.atClub", { count }), colour: ink }),
        ]
      : []),
    plain({ x: 470, y: cashback ? 608 : 510, size: 25, text: below, colour: ink }),
  ];
  return card(ground, svg.join(""));
}

/** In a 64 × 64 square. */
function drawShirt(look: ClubLook, outline: string): string {
  const { cloth, lines } = shirtOf(look);
  const drawn = lines.map(
    ({ colour, width, path }) => `<path d="${path}" stroke="${colour}" stroke-width="${width}"/>`,
  );
  return [
    `<clipPath id="shirt"><path d="${SHIRT}"/></clipPath>`,
    `<g clip-path="url(#shirt)" fill="none"><path d="M0 0h64v64H0z" fill="${cloth}"/>${drawn.join("")}</g>`,
    `<path d="${SHIRT}" fill="none" stroke="${outline}" stroke-width="1.5"/>`,
  ].join("");
}

/** The picture of the site's own links: what a purchase at a featured store becomes; without a store, no figure. */
export function drawSiteCard(store: Omit<StoreCard, "tags"> | undefined, language: Language): string {
  const t = textsIn(language);
  const [first, second] = inTwoLines(t("home.hero.title"));
  const size = Math.min(fitted(first, 470, 104), fitted(second, 470, 104));
  const upTo = store?.isRange ? `${t("server.card.upTo")} ` : "";
  const drawing = drawTicket({
    ...{ id: 1n, storeId: 1, store: store?.name ?? PRODUCT_NAME, buyer: NOBODY, drawn: "confirmed" },
    ...{ valueCents: 10_000n, baseBps: 0n, bonusBps: 0n, look: store?.look ? ticketLook(store.look) : NO_LOOK },
    sample: { word: t("samples.kicker").toUpperCase(), percent: store ? `${upTo}${store.percent}%` : "CHZ" },
  });
  return card(
    PITCH,
    [
      bold({ x: 70, y: 285, size, text: first, colour: PAPER }),
      bold({ x: 70, y: 390, size, text: second, colour: PAPER }),
      plain({ x: 72, y: 555, size: 40, text: PRODUCT_NAME.toUpperCase(), colour: YELLOW, spacing: 8 }),
      `<g transform="translate(620 25) rotate(3 290 290)"><svg width="580" height="580" viewBox="20 20 560 560" font-stretch="condensed">${drawing}</svg></g>`,
    ].join(""),
  );
}

/** Who has the ticket of an example. */
const NOBODY = "0x0000000000000000000000000000000000000000";

/** As even as its words allow. */
function inTwoLines(text: string): [string, string] {
  const words = text.split(" ");
  const cuts = words.map((_, index) => [words.slice(0, index).join(" "), words.slice(index).join(" ")] as const);
  const longest = (cut: readonly string[]) => Math.max(...cut.map((line) => line.length));
  const [first, second] = cuts.reduce((best, cut) => (longest(cut) < longest(best) ? cut : best));
  return [first, second];
}

/** A ticket's picture for shared links: as its contract draws it, and what it is worth, on its club's ground. */
export function drawTicketCard({ look, percent, paid, ...ticket }: TicketCard, language: Language): string {
  const t = textsIn(language);
  const { ground, ink, mark } = groundOf(look);
  const drawing = drawTicket({ ...ticket, look: look ? ticketLook(look) : NO_LOOK });
  const { width } = FIGURE;
  const word = t(`server.card.${ticket.drawn}`);
  const isLost = ticket.drawn === "cancelled" || ticket.drawn === "returned";
  const [above, figure, below] =
    paid !== undefined && !isLost
      ? [word, `${paid} CHZ`, ""]
      : ["", word, isLost ? "" : `${percent}% ${t("server.card.cashback")}`];
  // Capitals are wider.
  const size = fitted(figure, above ? width : 400, 140);
  const number = `${t("server.card.ticket")} ${ticket.id}`;
  return card(
    ground,
    [
      // Where the drawing's fonts are missing it takes ours, as narrow as they are.
      `<svg width="${CARD.height}" height="${CARD.height}" viewBox="0 0 600 600" font-stretch="condensed">${drawing}</svg>`,
      look ? `<rect x="${CARD.height}" width="10" height="${CARD.height}" fill="${clubGround(look).trim}"/>` : "",
      look ? `<g transform="translate(1050 40) scale(1.6)">${drawShirt(look, ink)}</g>` : "",
      plain({ ...FIGURE, y: 110, size: fitted(number, 340, 32), text: number, colour: ink, spacing: 3 }),
      bold({ ...FIGURE, y: 220, size: fitted(ticket.store, width, 80), text: ticket.store, colour: ink }),
      plain({ ...FIGURE, y: 318, size: 32, text: above, colour: ink, spacing: 3 }),
      bold({ ...FIGURE, y: Math.round((above ? 340 : 290) + 0.75 * size), size, text: figure, colour: mark }),
      plain({ ...FIGURE, y: 415, size: 40, text: below, colour: ink }),
      plain({ ...FIGURE, y: 530, size: 29, text: t("server.card.motto"), colour: ink }),
      bold({ ...FIGURE, y: 585, size: 40, text: PRODUCT_NAME.toUpperCase(), colour: ink, spacing: 6 }),
    ].join(""),
  );
}

/** Beside the drawing. */
const FIGURE = { x: 684, width: 460 } as const;

function card(background: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD.width}" height="${CARD.height}" viewBox="0 0 ${CARD.width} ${CARD.height}"><rect width="${CARD.width}" height="${CARD.height}" fill="${background}"/>${PITCH_LINES}${content}</svg>`;
}

const PITCH_LINES =
  '<g fill="none" stroke="#ffffff" stroke-opacity="0.1" stroke-width="4"><circle cx="600" cy="315" r="150"/><path d="M600 0v630M0 165h150v300H0M1200 165h-150v300h150"/></g>';

type Text = {
  x: number;
  y: number;
  size: number;
  text: string;
  colour: string;
  anchor?: "start" | "middle" | "end";
  spacing?: number;
};

const bold = (text: Text): string => written(text, "800", "condensed");
const plain = (text: Text): string => written(text, "600", "normal");

function written({ x, y, size, text, colour, anchor = "start", spacing = 0 }: Text, weight: string, stretch: string) {
  return `<text x="${x}" y="${y}" font-family="Archivo" font-size="${size}" font-weight="${weight}" font-stretch="${stretch}" fill="${colour}" text-anchor="${anchor}" letter-spacing="${spacing}">${escapeHtml(text)}</text>`;
}

/** Approximate width of a bold letter, relative to its size. */
const LETTER_WIDTH = 0.5;

/** The size at which a text is no wider than `width`, at most `largest`. */
const fitted = (text: string, width: number, largest: number): number =>
  Math.floor(Math.min(largest, width / (LETTER_WIDTH * Math.max(1, [...text].length))));
