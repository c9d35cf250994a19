/** Draws the preview image of links that have none of their own: `node scripts/developer/og-image.ts`. It names no store. */
import { writeFileSync } from "node:fs";
import { drawSiteCard } from "../../api/site/share/cards.ts";
import { Renderer } from "../../api/site/share/renderer.ts";

// The renderer's thread keeps no process alive.
const waiting = setInterval(() => {}, 1_000);
writeFileSync("frontend/public/og.png", await new Renderer().draw(drawSiteCard(undefined, "pt")));
clearInterval(waiting);
