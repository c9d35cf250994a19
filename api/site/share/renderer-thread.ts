import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

/** The thread behind `renderer.ts`: an SVG in, a PNG out; nothing in the SVG is fetched. */

export type Drawn = { id: number; png: Uint8Array } | { id: number; problem: string };

const fontBuffers = ["bold", "plain"].map((name) =>
  readFileSync(new URL(`./fonts/archivo-${name}.ttf`, import.meta.url)),
);
await initWasm(readFileSync(fileURLToPath(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm"))));

parentPort?.on("message", ({ id, svg }: { id: number; svg: string }) => {
  parentPort?.postMessage(draw(id, svg));
});

function draw(id: number, svg: string): Drawn {
  try {
    const drawing = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: "Archivo" } });
    const png = drawing.render().asPng();
    drawing.free();
    return { id, png };
  } catch (error) {
    return { id, problem: String(error) };
  }
}
