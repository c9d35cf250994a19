import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { Blob, Face } from "harfbuzzjs";
import subsetFont from "subset-font";

const FONT = "frontend/design/fonts/archivo-subset.woff2";

describe("Texts on screen", () => {
  it("call a ticket ingresso, not bilhete", () => {
    const files = globSync("frontend/**/*.{ts,tsx,json,html}");
    expect(files.filter((file) => /bilhete/i.test(readFileSync(file, "utf8")))).to.deep.equal([]);
  });

  it("have only characters of the product's typeface", async () => {
    const files = [...globSync("frontend/**/*.{ts,tsx,json,html,css}"), ...globSync("core/rules/**/*.ts")];
    const texts = new Map(files.map((file) => [file, withoutComments(readFileSync(file, "utf8"))]));
    const drawn = await charactersOf(FONT, [...texts.values()].join(""));
    const missing = [...texts].flatMap(([file, text]) =>
      [...new Set(text)].filter((one) => one >= " " && !drawn.has(one)).map((one) => `${file}: ${one}`),
    );
    expect(missing).to.deep.equal([]);
  });
});

const withoutComments = (code: string): string => code.replaceAll(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, "");

/** Those of a text that a font can draw. */
async function charactersOf(font: string, text: string): Promise<Set<string>> {
  const drawing = await subsetFont(readFileSync(font), text, { targetFormat: "truetype" });
  const face = new Face(new Blob(Uint8Array.from(drawing).buffer), 0);
  return new Set([...face.collectUnicodes()].map((code) => String.fromCodePoint(code)));
}
