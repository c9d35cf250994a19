/** Draws the preview image of shared links: `node scripts/developer/og-image.ts`. */
import { launchChromium, visit } from "../../test/browser/support/chromium.ts";
import { FixtureServer } from "../../test/browser/support/fixture-server.ts";
import { buildWebApp, WEB_APP } from "../../test/testing/web-app.ts";

await buildWebApp();
const server = await new FixtureServer(WEB_APP).start();
const browser = await launchChromium();
try {
  const { page } = await visit(browser, {
    viewport: { width: 1200, height: 630 },
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  await page.goto(server.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.addStyleTag({
    content: `header, .hero .button, .hero figcaption, .consent { display: none !important }
      html { text-rendering: geometricPrecision }
      .hero { min-height: 630px; display: grid; align-content: center }`,
  });
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: "frontend/public/og.png", clip: { x: 0, y: 0, width: 1200, height: 630 } });
} finally {
  await browser.close();
  await server.stop();
}
