import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { ticketImage } from "./ticket-image.ts";

/** What fits a phone's stories. */
const WIDTH = 1_080;
const HEIGHT = 1_920;
const TICKET = 960;
const MARGIN = (WIDTH - TICKET) / 2;
const TOP = 470;
const GAP = 30;
/** More would be too small to tell apart. */
const MOST = 9;
const PITCH = "#0b3d2e";
const CHALK = "#f7f4ea";
const YELLOW = "#ffc93c";

export type PictureTexts = { kicker: string; headline: string; link: string };

/**
 * A ticket as its contract draws it, with a headline and its link, as a PNG of 1080 × 1920 pixels. It is drawn here: no
 * other service is asked. @throws if the drawing cannot be had
 */
export async function drawTicketPicture(tokenId: string, texts: PictureTexts): Promise<Blob> {
  return drawPoster([await readDrawing(tokenId)], texts);
}

/** The same of many tickets, of which it shows the first nine that can be had. @throws if none can */
export async function drawSeasonPicture(tokenIds: readonly string[], texts: PictureTexts): Promise<Blob> {
  const read = await Promise.allSettled(tokenIds.slice(0, MOST).map(readDrawing));
  const tickets = read.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  if (tickets.length === 0) throw new Error("None of the tickets' pictures was answered");
  return drawPoster(tickets, texts);
}

async function drawPoster(tickets: readonly HTMLImageElement[], texts: PictureTexts): Promise<Blob> {
  await document.fonts.load("800 96px Archivo");
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser draws no pictures");
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim() || PITCH;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  drawPitch(context);
  context.textAlign = "center";
  write(context, texts.kicker.toUpperCase(), { y: 210, size: 44, colour: YELLOW });
  write(context, texts.headline, { y: 370, size: 132, colour: CHALK });
  drawTickets(context, tickets);
  write(context, PRODUCT_NAME.toUpperCase(), { y: 1_640, size: 76, colour: CHALK });
  write(context, texts.link, { y: 1_730, size: 42, colour: CHALK });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is empty"))), "image/png");
  });
}

/** In a square, as large as they fit beside each other; a last row that is not full stands in the middle. */
function drawTickets(context: CanvasRenderingContext2D, tickets: readonly HTMLImageElement[]): void {
  const columns = Math.ceil(Math.sqrt(tickets.length));
  const rows = Math.ceil(tickets.length / columns);
  const step = (TICKET + GAP) / columns;
  const side = step - GAP;
  const top = TOP + (TICKET - rows * step + GAP) / 2;
  for (const [index, ticket] of tickets.entries()) {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, tickets.length - row * columns);
    const left = MARGIN + ((columns - inRow) * step) / 2;
    context.drawImage(ticket, left + (index % columns) * step, top + row * step, side, side);
  }
}

async function readDrawing(tokenId: string): Promise<HTMLImageElement> {
  const response = await fetch(ticketImage(tokenId));
  if (!response.ok) throw new Error(`The ticket's picture was answered with ${response.status}`);
  const svg = new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement;
  if (svg.tagName !== "svg") throw new Error("The ticket's picture is no drawing");
  // Some browsers draw nothing that has only a viewBox.
  for (const side of ["width", "height"]) svg.setAttribute(side, String(TICKET));
  const image = new Image(TICKET, TICKET);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  return image;
}

function drawPitch(context: CanvasRenderingContext2D): void {
  context.strokeStyle = "rgb(255 255 255 / 14%)";
  context.lineWidth = 6;
  context.beginPath();
  context.arc(WIDTH / 2, HEIGHT / 2, 230, 0, 2 * Math.PI);
  context.moveTo(0, HEIGHT / 2);
  context.lineTo(WIDTH, HEIGHT / 2);
  context.rect(240, -10, 600, 270);
  context.rect(240, HEIGHT - 260, 600, 270);
  context.stroke();
}

/** On one line, as large as it fits. */
function write(context: CanvasRenderingContext2D, text: string, at: { y: number; size: number; colour: string }): void {
  let { size } = at;
  const font = () => {
    context.font = `800 ${size}px Archivo, sans-serif`;
  };
  for (font(); context.measureText(text).width > TICKET && size > 20; font()) size -= 4;
  context.fillStyle = at.colour;
  context.fillText(text, WIDTH / 2, at.y);
}
