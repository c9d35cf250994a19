/**
 * Subsets the product's typeface to what its screens use: Latin text, weights 400 to 800, widths 75 to 100 %; and cuts the two
 * fonts that the pictures of shared links are drawn with.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";

const SOURCE = fileURLToPath(import.meta.resolve("@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2"));
const TARGET = "frontend/design/fonts/archivo-subset.woff2";
const MAXIMUM_BYTES = 40 * 1024;

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)).join("");
/** ASCII, the letters of Portuguese and similar languages, and the symbols used in the texts. */
const TEXT = `${range(0x20, 0x7e)}ÀÁÂÃÇÉÊÍÓÔÕÚÜàáâãäçèéêëíïñóôõöùúüß\u00a0©ªº·–—‘’“”…×−›`;

const subset = await subsetFont(readFileSync(SOURCE), TEXT, {
  targetFormat: "woff2",
  variationAxes: { wght: { min: 400, max: 800, default: 400 }, wdth: { min: 75, max: 100, default: 100 } },
});
if (subset.length > MAXIMUM_BYTES)
  throw new Error(`${TARGET} would be ${subset.length} bytes; at most ${MAXIMUM_BYTES}`);
writeFileSync(TARGET, subset);
console.log(`${TARGET}: ${subset.length} bytes`);

const PICTURE_FONTS = [
  ["bold", { wght: 800, wdth: 75 }],
  ["plain", { wght: 600, wdth: 100 }],
] as const;
for (const [name, variationAxes] of PICTURE_FONTS) {
  const target = `api/site/share/fonts/archivo-${name}.ttf`;
  const font = await subsetFont(readFileSync(SOURCE), TEXT, { targetFormat: "truetype", variationAxes });
  writeFileSync(target, font);
  console.log(`${target}: ${font.length} bytes`);
}
