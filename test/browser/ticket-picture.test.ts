import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "./support/chromium.ts";

/** Pictures drawn by the contract, whose tests keep these files current. */
const PICTURES = globSync("test/contracts/pictures/*.svg").sort();
const svg = (name: string) => readFileSync(`test/contracts/pictures/${name}.svg`, "utf8");

/** The bounding box of a text's glyphs, in the picture's 600 units; its em box is larger. */
type Ink = { text: string; left: number; right: number; top: number; bottom: number };
const [CAPITALS, DESCENDERS] = [0.75, 0.22];
/** The right edge of the line that a store's name is clipped to. */
const STORE_LINE_RIGHT = 548;
const STAMP = { x: 455, y: 412, radius: 89.5 };
const TICKET = { left: 50, right: 550, top: 40, bottom: 560 };

describe("The ticket that the contract draws", () => {
  let browser: Browser;
  let page: Page;
  before(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 640, height: 640 } });
  });
  after(() => browser?.close());

  /** As laid out at this width: a browser takes the letters of the size that it shows, which are not exactly proportional. */
  const inkOf = async (picture: string, pixels: number): Promise<Ink[]> => {
    await page.setContent(`<body style="margin:0"><div style="width:${pixels}px">${picture}</div></body>`);
    return page.evaluate(
      ([capitals = 0, descenders = 0, clipped = 0]) => {
        const canvas = document.createElement("canvas").getContext("2d");
        if (canvas) canvas.font = "700 100px sans-serif";
        const lacksThai = canvas !== null && canvas.measureText("\u0e34").width > 0;
        return Array.from(document.querySelectorAll("text"))
          .filter((text) => !text.closest("[transform]"))
          .map((text) => {
            const { x, width } = text.getBBox();
            // A font without these letters draws a box for each, for the marks above and below as well. What does not fit
            // is clipped.
            const isClipped = text.closest("[clip-path]") && /[\u0e00-\u0e7f]/.test(text.textContent) && lacksThai;
            const size = Number.parseFloat(getComputedStyle(text).fontSize);
            const baseline = Number(text.getAttribute("y"));
            const hasDescenders = /[gjpqy,;()]/.test(text.textContent);
            return {
              text: text.textContent,
              left: x,
              right: isClipped ? Math.min(x + width, clipped) : x + width,
              top: baseline - capitals * size,
              bottom: baseline + (hasDescenders ? descenders * size : 0),
            };
          });
      },
      [CAPITALS, DESCENDERS, STORE_LINE_RIGHT],
    );
  };

  for (const [path, pixels] of PICTURES.flatMap((path) => [[path, 600] as const, [path, 64] as const])) {
    it(`keeps every text in its place at ${pixels} pixels: ${basename(path)}`, async () => {
      const texts = await inkOf(readFileSync(path, "utf8"), pixels);
      expect(texts.length).to.be.greaterThan(1);
      for (const one of texts) {
        expect(one.left, `${one.text}: left`).to.be.at.least(TICKET.left);
        expect(one.right, `${one.text}: right`).to.be.at.most(TICKET.right);
        expect(one.top, `${one.text}: top`).to.be.at.least(TICKET.top);
        expect(one.bottom, `${one.text}: bottom`).to.be.at.most(TICKET.bottom);
        expect(distanceToStamp(one), `${one.text}: under the stamp`).to.be.at.least(STAMP.radius);
        for (const other of texts) {
          if (other === one) continue;
          const isApart =
            one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top;
          expect(isApart, `"${one.text}" and "${other.text}" touch`).to.equal(true);
        }
      }
    });
  }

  it("draws all digits equally wide, so that figures of two tickets compare at a glance", async () => {
    await page.setContent(`<body style="margin:0"><div style="width:600px">${svg("pending")}</div></body>`);
    const widths = await page.evaluate(() =>
      Array.from(document.querySelectorAll("text"), (text) =>
        Array.from("0123456789", (digit) => {
          text.textContent = digit.repeat(10);
          return text.getComputedTextLength();
        }),
      ),
    );
    expect(widths.length).to.be.greaterThan(5);
    for (const ofText of widths) expect(Math.max(...ofText) - Math.min(...ofText)).to.be.below(0.1);
  });

  for (const background of ["#ffffff", "#0b1b18"]) {
    it(`distinguishes the statuses at 64 pixels without colour, on ${background}`, async () => {
      const statuses = ["pending", "confirmed", "cancelled"];
      const grey = await Promise.all(statuses.map((name) => greyPixels(name, background)));
      for (const [one, other] of [
        [0, 1],
        [0, 2],
        [1, 2],
      ] as const) {
        const difference = meanDifference(grey[one] ?? [], grey[other] ?? []);
        expect(difference, `${statuses[one]} and ${statuses[other]}`).to.be.greaterThan(0.06);
      }
    });
  }

  /** The brightness of the lower right quarter with stamp and stub, from 0 to 1. */
  async function greyPixels(name: string, background: string): Promise<number[]> {
    const image = `data:image/svg+xml;base64,${Buffer.from(svg(name)).toString("base64")}`;
    return page.evaluate(
      async ({ image, background }) => {
        const picture = new Image();
        picture.src = image;
        await picture.decode();
        const canvas = new OffscreenCanvas(64, 64);
        const context = canvas.getContext("2d");
        if (!context) return [];
        context.fillStyle = background;
        context.fillRect(0, 0, 64, 64);
        context.drawImage(picture, 0, 0, 64, 64);
        const { data } = context.getImageData(32, 32, 32, 32);
        return Array.from({ length: data.length / 4 }, (_, index) => {
          const [red = 0, green = 0, blue = 0] = data.slice(index * 4, index * 4 + 3);
          return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
        });
      },
      { image, background },
    );
  }

  it("displays in an <img>, fetches nothing and runs nothing", async () => {
    const asked: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith("data:")) asked.push(request.url());
    });
    const image = `data:image/svg+xml;base64,${Buffer.from(svg("largest")).toString("base64")}`;
    await page.setContent(`<img src="${image}">`);
    const width = await page.evaluate(async () => {
      const picture = document.querySelector("img");
      await picture?.decode();
      return picture?.naturalWidth;
    });
    expect(width).to.be.greaterThan(0);
    expect(asked).to.deep.equal([]);
  });
});

function distanceToStamp({ left, right, top, bottom }: Ink): number {
  const x = Math.max(left - STAMP.x, 0, STAMP.x - right);
  const y = Math.max(top - STAMP.y, 0, STAMP.y - bottom);
  return Math.hypot(x, y);
}

function meanDifference(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length;
}
