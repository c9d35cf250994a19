import { readFileSync, writeFileSync } from "node:fs";
import { DOMParser, type Element, onErrorStopParsing } from "@xmldom/xmldom";
import { expect } from "chai";
import fc from "fast-check";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { countLetters, isReadableName, STORE_NAME_BYTES, STORE_NAME_LETTERS } from "../../core/rules/chain-text.ts";
import { CLUB_PATTERNS } from "../../core/rules/clubs/club.ts";
import { type TicketLook, ticketLook } from "../../core/rules/clubs/ticket-look.ts";
import { percentText } from "../../core/rules/money.ts";
import {
  aPurchase,
  CENT_WEI,
  ethers,
  freshSystem,
  IS_COVERAGE,
  item,
  networkHelpers,
  type Purchase,
  read,
  type System,
  send,
} from "./support/system.ts";

const FUZZ_RUNS = 60;
/** Drawing is slow under coverage. */
const itAsDeployed = IS_COVERAGE ? it.skip : it;
/** A name in letters of all scripts reaches every line of the table of widths. */
const DRAWN_UNDER_COVERAGE = /^(pending|hostile-scripts)$/;
const PICTURES = "test/contracts/pictures";
/** Fixed, so that the pictures are reproducible. */
const PICTURED_BUYER = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const encoder = new TextEncoder();

/** Any text that the contract takes as a name: plain, readable, not hidden and not stacked. */
const storeName = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom(..."<>&\"'\\/{}[]%;:#]-!?=", "</text>", "<script>", "]]>", "&amp;", "\\u0000", "\u2028"),
      minLength: 1,
      maxLength: 12,
    }),
  )
  .map((text) => text.replace(/[\p{Cc}\ufffe\uffff\p{Cs}]/gu, ""))
  .filter(isReadableName)
  .filter((text) => countLetters(text) <= STORE_NAME_LETTERS && encoder.encode(text).length <= STORE_NAME_BYTES);

/** Any address that the contract takes as the site's. */
const siteUrl = fc
  .string({ unit: fc.constantFrom(..."abcXYZ019-._~:/?#[]@!$&'()*+,;=%"), minLength: 1, maxLength: 192 })
  .map((text) => `https://${text}`);

type Metadata = {
  name: string;
  description: string;
  image: string;
  external_url: string;
  attributes: { trait_type: string; value: string }[];
};

function parseMetadata(uri: string): Metadata {
  const [head, body] = uri.split(",");
  expect(head).to.equal("data:application/json;base64");
  return JSON.parse(Buffer.from(body ?? "", "base64").toString("utf8")) as Metadata;
}

function svgOf(image: string): string {
  return Buffer.from(image.split(",")[1] ?? "", "base64").toString("utf8");
}

/** `UPDATE_PICTURES=1` writes new ones for review. */
function expectPicture(name: string, svg: string): void {
  const path = `${PICTURES}/${name}.svg`;
  if (process.env.UPDATE_PICTURES) writeFileSync(path, `${svg}\n`);
  expect(`${svg}\n` === readFileSync(path, "utf8"), `${path} is another picture`).to.equal(true);
}

/** The picture as a document; fails if it is not well-formed, or contains anything that could run or be fetched. */
function parsePicture(image: string): Element {
  expect(image.split(",")[0]).to.equal("data:image/svg+xml;base64");
  const parser = new DOMParser({ onError: onErrorStopParsing });
  const root = parser.parseFromString(svgOf(image), "image/svg+xml").documentElement;
  if (!root) throw new Error("no document");
  expect(root.tagName).to.equal("svg");
  expect(root.namespaceURI).to.equal("http://www.w3.org/2000/svg");
  for (const element of [root, ...Array.from(root.getElementsByTagName("*"))]) {
    expect(["svg", "title", "pattern", "clipPath", "path", "circle", "g", "text"]).to.include(element.tagName);
    for (const { name, value } of Array.from(element.attributes)) {
      expect(name).not.to.match(/^on|href|style|textLength|lengthAdjust/i);
      if (value.includes("url(")) expect(value).to.be.oneOf(["url(#a)", "url(#b)", "url(#c)", "url(#d)"]);
    }
  }
  return root;
}

const textsOf = (picture: Element) => Array.from(picture.getElementsByTagName("text")).map((text) => text.textContent);
/** "R$ 1.234,50", by another way than the contract's. */
const reais = (cents: bigint) =>
  `R$ ${new Intl.NumberFormat("pt-BR").format(cents / 100n)},${String(cents % 100n).padStart(2, "0")}`;

/** Colours of stores, and how they are drawn between header and paper. */
const BORDER_COLOURS = [
  [0x32471b, 0x3f532a],
  [0x28681d, 0x437b3a],
  [0x044461, 0x235b75],
  [0xffd2bb, 0xefc4af],
  [0xffd6b6, 0xffd6b6],
] as const;

/** How different two colours look, in units of the CIE's L*a*b*: 2 is just noticeable, 9 plain. */
function difference(one: number, other: number): number {
  const [x, y] = [labOf(one), labOf(other)];
  return Math.hypot(...x.map((value, index) => value - (y[index] ?? 0)));
}

function labOf(colour: number): number[] {
  const linear = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
  const [red = 0, green = 0, blue = 0] = [16, 8, 0].map((shift) => linear(((colour >> shift) & 0xff) / 255));
  const curve = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = curve((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
  const y = curve(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = curve((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** One of each pattern, and those that are hard to draw. */
const PICTURED_CLUBS = [
  "flamengo",
  "palmeiras",
  "atletico-mineiro",
  "vasco-da-gama",
  "sao-paulo",
  "fluminense",
  "corinthians",
  "as-monaco",
  "paris-saint-germain",
];

const SITE = "https://torcida.example";

describe("Token metadata", () => {
  let system: System;
  beforeEach(async () => {
    system = await freshSystem();
  });
  const metadataOf = async (id: bigint) => parseMetadata(await read<string>(system.nft, "tokenURI", id));
  const mint = (purchase: Partial<Purchase> & { id: bigint }) =>
    system.mint(aPurchase({ buyer: system.buyer.address, ...purchase }));
  const setLook = (storeId: number, { first, second, pattern }: TicketLook) =>
    send(system.nft, "setStoreLook", [storeId, first, second, pattern], system.catalogue);

  it("lists the attributes as documented, in order, then the bonus", async () => {
    await mint({ id: 7n });
    const { attributes, name, external_url } = await metadataOf(7n);
    expect(attributes).to.deep.equal([
      { trait_type: "Loja", value: "Verdão Store" },
      { trait_type: "Valor da Compra", value: "R$ 1.234,50" },
      { trait_type: "Cashback", value: "5.75%" },
      { trait_type: "Status", value: "Pending" },
      { trait_type: "Comprador", value: ethers.getAddress(system.buyer.address) },
      { trait_type: "Bônus", value: "0.75% (incluído)" },
    ]);
    expect(name).to.equal("Torcida nº 7");
    expect(external_url).to.equal("https://torcida.example/ticket/7");
  });

  it("follows the status in its text and its picture", async () => {
    await mint({ id: 1n });
    await mint({ id: 2n });
    await mint({ id: 3n });
    await mint({ id: 4n });
    await system.confirm(2n, 4n);
    await send(system.nft, "cancel", [[3n]], system.confirmer);
    await send(system.nft, "markReturned", [[4n]], system.confirmer);
    const words = {
      1: ["pending", "PENDENTE"],
      2: ["confirmed", "CONFIRMADO"],
      3: ["cancelled", "CANCELADO"],
      4: ["returned", "DEVOLVIDO"],
    } as const;
    const pictures = new Set<string>();
    for (const [id, [status, stamp]] of Object.entries(words)) {
      const { attributes, image } = await metadataOf(BigInt(id));
      expect(attributes[3]?.value?.toLowerCase()).to.equal(status);
      expect(textsOf(parsePicture(image)).at(-1)).to.equal(stamp);
      // Except for number and bars, which differ in every ticket.
      pictures.add(svgOf(image).replace(/nº \d|stroke-dasharray="[\d ]{64}"/gi, ""));
    }
    expect(pictures.size).to.equal(4);
  });

  it("draws what the attributes say", async () => {
    await mint({ id: 42n, valueCents: 99n, baseBps: 800, bonusBps: 0 });
    const texts = textsOf(parsePicture((await metadataOf(42n)).image));
    const { address } = system.buyer;
    expect(texts).to.include.members(["TORCIDA", "Nº 42", "Verdão Store", "8%", "em CHZ", "R$ 0,99"]);
    expect(texts).to.include(`${address.slice(0, 6)}…${address.slice(-4)}`);
    await mint({ id: 123_456_789_012n, baseBps: 1_234, bonusBps: 55 });
    const others = textsOf(parsePicture((await metadataOf(123_456_789_012n)).image));
    expect(others).to.include.members(["Nº 1234…9012", "12.89%", "inclui 0.55% de bônus"]);
  });

  itAsDeployed("gives each ticket its own bar code", async () => {
    const barsOf = async (id: bigint) =>
      /stroke-dasharray="((?:[2-9] ){32})"/.exec(svgOf((await metadataOf(id)).image))?.[1] ?? "none";
    for (let id = 1n; id <= 8n; id++)
      await mint({ id, buyer: id === 8n ? system.other.address : system.buyer.address });
    const bars = await Promise.all([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n].map(barsOf));
    expect(bars).not.to.include("none");
    expect(new Set(bars).size).to.equal(8);
    const widths = [...new Set(bars.join("").trim().split(" "))].sort();
    expect(widths).to.deep.equal(["2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  itAsDeployed("gives each ticket a seat and a pitch of its own, by its id, store and value", async () => {
    await send(system.nft, "registerStore", [28, "Arena"], system.catalogue);
    await mint({ id: 39n });
    await mint({ id: 40n });
    await mint({ id: 3_640n, storeId: 28 });
    const seatOf = async (id: bigint) =>
      textsOf(parsePicture((await metadataOf(id)).image)).find((text) => text?.startsWith("SETOR"));
    expect(await Promise.all([39n, 40n, 3_640n].map(seatOf))).to.deep.equal([
      "SETOR B · FILA 1 · LUGAR 40",
      "SETOR B · FILA 2 · LUGAR 1",
      "SETOR C · FILA 2 · LUGAR 1",
    ]);
    for (let id = 50n; id < 58n; id++) await mint({ id, valueCents: id });
    const pitchOf = async (id: bigint) => {
      const svg = svgOf((await metadataOf(id)).image);
      return /<pattern id="c".*?<\/pattern>/.exec(svg)?.[0].concat(/M\d+ 122v290[^"]+/.exec(svg)?.[0] ?? "none");
    };
    const pitches = await Promise.all([39n, 40n, 3_640n, 50n, 51n, 52n, 53n, 54n, 55n, 56n, 57n].map(pitchOf));
    expect(pitches.join("")).not.to.include("undefined").and.not.to.include("none");
    expect(new Set(pitches).size).to.equal(pitches.length);
  });

  it("keeps a store's colour apart from the paper and the header that it is drawn between", async () => {
    await mint({ id: 1n });
    const [pitch, mown, paper] = [0x0b5138, 0x0f6144, 0xfaf6ea];
    const drawn = async (colour: number) => {
      await send(system.nft, "setStoreColour", [1, colour], system.catalogue);
      const path = /fill="#([\da-f]{6})" d="M40 122h520v8H40z"/.exec(svgOf((await metadataOf(1n)).image))?.[1];
      return Number.parseInt(path ?? "", 16);
    };
    for (const apart of IS_COVERAGE ? [] : [0xd50000, 0x1a2b3c, 0x000001, 0x1e88e5])
      expect(await drawn(apart)).to.equal(apart);
    // Each stands at the border of what is moved: a neighbour that differed by one would change it.
    for (const [wanted, seen] of IS_COVERAGE ? [] : BORDER_COLOURS) expect(await drawn(wanted)).to.equal(seen);
    const colour = fc.oneof(
      fc.integer({ min: 1, max: 0xffffff }),
      fc.constantFrom(pitch, mown, paper, 0xffffff, 0xffff00, 0x0d593e, 0x00ff00, 0x0a4a33),
    );
    await fc.assert(
      fc.asyncProperty(colour, async (wanted) => {
        const seen = await drawn(wanted);
        for (const neighbour of [pitch, mown, paper])
          expect(difference(seen, neighbour), `${wanted.toString(16)} → ${seen.toString(16)}`).to.be.at.least(9);
      }),
      { numRuns: IS_COVERAGE ? 2 : FUZZ_RUNS, examples: [[pitch], [paper], [mown], [0xffffff]] },
    );
  });

  /** The path's colour by its element, and the crowd's two by the paints that they stand in. */
  const coloursOf = async (look: TicketLook) => {
    await setLook(1, look);
    const { image } = await metadataOf(1n);
    parsePicture(image);
    const svg = svgOf(image);
    const [first, second] = ["a", "d"].map(
      (id) => new RegExp(`<pattern id="${id}".*?fill="#([\\da-f]{6})"`).exec(svg)?.[1],
    );
    return {
      first,
      second,
      edge: /fill="#([\da-f]{6})" d="M40 122h/.exec(svg)?.[1],
      line: /<path[^>]+url\(#d\)[^>]+>/.exec(svg)?.[0],
    };
  };

  it("has a crowd that wears the store's two colours as its pattern says, each seen on the stands", async () => {
    await mint({ id: 1n });
    const [stands, crowd] = [0x33403a, "14493a"];
    const lines = new Set<string | undefined>();
    for (let pattern = 0; pattern < CLUB_PATTERNS.length; pattern++) {
      const { first, second, line } = await coloursOf({ first: 0xd50032, second: 0xffffff, pattern });
      expect([first, second]).to.deep.equal(["d50032", "ffffff"]);
      lines.add(line);
    }
    expect(lines.size, "each pattern has a line of its own").to.equal(CLUB_PATTERNS.length);
    const plain = await coloursOf({ first: 0xd50032, second: 0xffffff, pattern: 0 });
    for (const pattern of [CLUB_PATTERNS.length, 15])
      expect(await coloursOf({ first: 0xd50032, second: 0xffffff, pattern }), "one to come is plain").to.deep.equal(
        plain,
      );
    for (const [first, second] of [
      [0, 0],
      [0xd50032, 0],
      [0, 0xffffff],
    ] as const)
      expect(await coloursOf({ first, second, pattern: 1 })).to.include({
        first: crowd,
        second: undefined,
        line: undefined,
      });
    for (const club of IS_COVERAGE ? [] : BUILT_IN_CLUBS) {
      const { first = "", second = "" } = await coloursOf(ticketLook(club));
      for (const worn of [first, second])
        expect(difference(Number.parseInt(worn, 16), stands), `${club.slug}: ${worn}`).to.be.at.least(9);
      expect(difference(Number.parseInt(first, 16), Number.parseInt(second, 16)), club.slug).to.be.at.least(9);
    }
  });

  itAsDeployed("has its crowd in green for a caller that does not say how the store looks", async () => {
    const record = [system.buyer.address, 1, 100n, 500, 0, 1];
    const drawn = await read<string>(system.descriptor, "tokenURI", [1n, record, "Arena", 0xd50032, SITE]);
    const svg = svgOf(parseMetadata(drawn).image);
    expect(svg).to.include('fill="#d50032" d="M40 122h').and.include('<path fill="#14493a"');
    expect(svg).not.to.include("url(#d)");
  });

  it("has an edge in the second colour where only that is seen between header and paper", async () => {
    await mint({ id: 1n });
    const edgeOf = async (first: number, second: number) => (await coloursOf({ first, second, pattern: 0 })).edge;
    expect(await edgeOf(0xffffff, 0x000001), "white and black").to.equal("000001");
    expect(await edgeOf(0xd50032, 0xffffff), "red and white").to.equal("d50032");
    const moved = await edgeOf(0x006437, 0);
    expect(moved, "a green near the header's").not.to.equal("006437");
    expect(await edgeOf(0x006437, 0xffffff), "neither: the first, moved").to.equal(moved);
  });

  it("wraps a bonus in a ribbon, and nothing else", async () => {
    await mint({ id: 1n });
    await mint({ id: 2n, bonusBps: 0 });
    const [with_, without] = await Promise.all([1n, 2n].map(async (id) => svgOf((await metadataOf(id)).image)));
    expect(with_).to.match(/<path fill="#e0a526" d="M62 364h\d+a16/);
    expect(without).not.to.include("M62 364h");
  });

  /** Each figure is drawn at its largest size just before it shrinks, just after, and at its longest. */
  const DRAWN: Record<
    string,
    Partial<Purchase> & {
      id: bigint;
      store?: string;
      look?: TicketLook;
      to?: "confirm" | "cancel" | "markReturned" | "payBatch";
    }
  > = {
    pending: { id: 1n },
    confirmed: { id: 2n, to: "confirm" },
    cancelled: { id: 3n, to: "cancel" },
    smallest: { id: 4n, store: "é", valueCents: 1n, baseBps: 1, bonusBps: 0 },
    "before-shrinking": {
      id: 12_345n,
      store: "Loja do Timão 1910",
      valueCents: 999_999n,
      baseBps: 999,
      bonusBps: 0,
    },
    "after-shrinking": { id: 123_456n, store: "Loja do Timão, 1910", valueCents: 1_000_000n, baseBps: 1_001 },
    "eleven-digits": { id: 12_345_678_901n, store: "球場".repeat(4), valueCents: 100_000_000n },
    largest: {
      id: 2n ** 160n - 1n,
      store: "Centauro Esportes & Lazer do Brasil <SA>",
      valueCents: 2n ** 40n - 1n,
      baseBps: 9_998,
      bonusBps: 1,
      to: "confirm",
    },
  };
  /** Names that try to overflow their line, cover neighbouring elements, or become something other than text. */
  const HOSTILE: Record<string, string> = {
    capitals: "MUNDO DO FLAMENGO",
    wide: "W".repeat(18),
    widest: "W".repeat(40),
    squares: "球場".repeat(6),
    emoji: "⚽".repeat(13),
    cyrillic: "Щ".repeat(20),
    "right-to-left": "متجر الملعب الكبير",
    sentence: "\ufdfd\ufdfd \ufdfd",
    cuneiform: "𒈙".repeat(10),
    dashes: "\u2e3b".repeat(13),
    marks: "e\u0301".repeat(13),
    markup: "</text><script>alert(1)</script>&#x3c;",
    spaces: `a${" ".repeat(38)}b`,
    bars: "|".repeat(40),
    scripts: "ŁǄéºa\u0301ΩЩאبकกԱ\u0710 ᙲ–‱球한⸺ﷻ𒈙⚽",
    arabic: "متجر مشجعي المنتخب الوطني",
    hindi: "भारतीय फुटबॉल प्रशंसकों की दुकान",
    thai: "ร้านกีฬาทีมชาติไทยเพื่อแฟนบอล",
    chinese: "国家足球队球迷官方商店",
    russian: "Спортивный магазин Динамо",
    greek: "Κατάστημα Ολυμπιακού",
    hebrew: "חנות האוהדים הרשמית",
    korean: "토르시다 축구 팬 공식 상점",
    stacked: "L\u0302\u0301o\u0302\u0301j\u0308\u0301a\u0302\u0301 do To\u0302\u0301rcedor",
  };
  for (const [name, store] of Object.entries(HOSTILE)) DRAWN[`hostile-${name}`] = { id: 7n, store };
  const nearest = { id: 360_000_000n, storeId: 34, valueCents: 999_999_999_999n, baseBps: 900, bonusBps: 100 };
  const late = { returned: { id: 5n, to: "markReturned" }, paid: { id: 6n, to: "payBatch" } };
  Object.assign(DRAWN, { "nearest-seat": nearest, "wider-seat": { id: 9n, storeId: 11, bonusBps: 0 }, ...late });
  for (const slug of PICTURED_CLUBS) {
    const club = BUILT_IN_CLUBS.find((one) => one.slug === slug);
    if (club) DRAWN[`club-${slug}`] = { id: 8n, store: `Loja do ${club.name}`, look: ticketLook(club), to: "confirm" };
  }
  for (const [index, [name, { store, look, to, ...purchase }]] of Object.entries(DRAWN).entries()) {
    if (IS_COVERAGE && !DRAWN_UNDER_COVERAGE.test(name)) continue;
    it(`draws the ${name} ticket as ${PICTURES}/${name}.svg, which people looked at`, async () => {
      const storeId = purchase.storeId ?? index + 2;
      await send(system.nft, "registerStore", [storeId, store ?? "Verdão Store"], system.catalogue);
      if (look) await setLook(storeId, look);
      await mint({ buyer: PICTURED_BUYER, storeId, ...purchase });
      if (to === "markReturned" || to === "payBatch") await system.confirm(purchase.id);
      if (to === "payBatch") {
        await send(system.distributor, to, [[item(purchase.id, 1n)], CENT_WEI], system.payer);
      } else if (to) await send(system.nft, to, [[purchase.id]], system.confirmer);
      const { length } = await read<string>(system.nft, "tokenURI", purchase.id);
      expect(length * 4, "a quarter of what PurchaseNFT takes from a descriptor").to.be.at.most(65_535);
      expectPicture(name, svgOf((await metadataOf(purchase.id)).image));
    });
  }

  it(`draws the collection as ${PICTURES}/collection.svg`, async () => {
    expectPicture("collection", svgOf(parseMetadata(await read<string>(system.nft, "contractURI")).image));
  });

  it("formats every value and percent as the server does", async () => {
    let id = 1n;
    const cents = fc.oneof(
      fc.bigInt(1n, 2n ** 40n - 1n),
      fc.constantFrom(1n, 10n, 99n, 100n, 99_999n, 100_000n, 100_000_000n, 2n ** 40n - 1n),
    );
    const bps = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.constantFrom(0, 1, 10, 99, 100, 110, 575, 1_000));
    await fc.assert(
      fc.asyncProperty(cents, bps, bps, async (valueCents, baseBps, bonusBps) => {
        // The contract mints nothing with a percent of zero.
        fc.pre(baseBps + bonusBps > 0);
        const purchase = { id: id++, valueCents, baseBps, bonusBps };
        await mint(purchase);
        const values = (await metadataOf(purchase.id)).attributes.map(({ value }) => value);
        expect(values[1]).to.equal(reais(valueCents));
        expect(values[2]).to.equal(`${percentText(baseBps + bonusBps)}%`);
        expect(values[5]).to.equal(bonusBps === 0 ? "0%" : `${percentText(bonusBps)}% (incluído)`);
      }),
      {
        numRuns: IS_COVERAGE ? 1 : FUZZ_RUNS,
        examples: [110, 90, 190, 9, 18].map((one): [bigint, number, number] => [100n, one, 0]),
      },
    );
  });

  itAsDeployed("contains valid JSON and XML with exactly the store's name, for any name", async () => {
    await mint({ id: 1n });
    await fc.assert(
      fc.asyncProperty(storeName, async (name) => {
        await send(system.nft, "renameStore", [1, name], system.catalogue);
        const { attributes, description, image } = await metadataOf(1n);
        expect(attributes[0]?.value).to.equal(name);
        expect(description).to.equal(`Ingresso de uma compra na loja ${name}, com cashback em CHZ. Intransferível.`);
        // This parser reads the line separator as a new line, as XML 1.1 does.
        const whole = name.replaceAll("\u2028", "\n");
        const drawn = textsOf(parsePicture(image));
        // One that is too wide is cut, which TextFit.t.sol is about.
        const isCut = (text: string | null) => /.…$/su.test(text ?? "") && whole.startsWith(text?.slice(0, -1) ?? "");
        expect(drawn.includes(whole) || drawn.some(isCut), `${drawn}`).to.equal(true);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it("is drawn in the store's own colour if it has one, and fits a whole Korean name", async () => {
    const name = IS_COVERAGE ? "Loja" : "토르시다 상점";
    await send(system.nft, "renameStore", [1, name], system.catalogue);
    await mint({ id: 1n });
    const before = svgOf((await metadataOf(1n)).image);
    await send(system.nft, "setStoreColour", [1, 0x1a2b3c], system.catalogue);
    const { image } = await metadataOf(1n);
    expect(before).to.not.include("#1a2b3c");
    expect(svgOf(image)).to.include("#1a2b3c");
    expect(textsOf(parsePicture(image))).to.include(name);
  });

  itAsDeployed("is valid JSON for any site URL", async () => {
    await mint({ id: 1n });
    await fc.assert(
      fc.asyncProperty(siteUrl, async (url) => {
        await send(system.nft, "setSiteUrl", [url], system.admin);
        const origin = /^https:\/\/[^/?#]*/.exec(url)?.[0];
        expect((await metadataOf(1n)).external_url).to.equal(`${origin}/ticket/1`);
        const collection = parseMetadata(await read<string>(system.nft, "contractURI")) as Metadata & {
          external_link: string;
        };
        expect(collection.external_link).to.equal(`${origin}/`);
        parsePicture(collection.image);
      }),
      { numRuns: FUZZ_RUNS / 3 },
    );
  });

  it("draws different pictures for different tickets, and never reverts at the fields' bounds", async () => {
    const name = IS_COVERAGE ? "\u{10fffd}" : "\u{10fffd}".repeat(10);
    await send(system.nft, "registerStore", [65_535, name], system.catalogue);
    const id = 2n ** 160n - 1n;
    await mint({ id, storeId: 65_535, valueCents: 2n ** 40n - 1n, baseBps: 10_000, bonusBps: 0 });
    await networkHelpers.mine();
    const { attributes, image } = await metadataOf(id);
    expect(attributes.map(({ value }) => value).slice(1, 3)).to.deep.equal(["R$ 10.995.116.277,75", "100%"]);
    expect(textsOf(parsePicture(image))).to.include("Nº 1461…2975");
  });
});
