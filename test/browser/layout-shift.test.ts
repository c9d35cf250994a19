import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { PAGES } from "../../frontend/app/pages.ts";
import { useSite } from "./support/site.ts";

/** As Lighthouse calls it good; half of it, since nothing here has a reason to move. */
const HIGHEST = 0.05;
const ANSWER_MS = 250;
/** Pages that load side by side: most of the time they wait. */
const AT_ONCE = 5;
const PHONE = { viewport: { width: 360, height: 740 } };

type Shift = PerformanceEntry & {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Element | undefined }[];
};

/** What moved without a touch of the user, as the browser counts it. */
async function shiftOf(page: Page): Promise<{ value: number; moved: string[] }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let value = 0;
        const moved = new Set<string>();
        const seen = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as Shift[]) {
            if (entry.hadRecentInput) continue;
            value += entry.value;
            for (const { node } of entry.sources) moved.add(node?.outerHTML.slice(0, 80) ?? "?");
          }
        });
        seen.observe({ type: "layout-shift", buffered: true });
        // What is buffered is delivered in a later task.
        window.setTimeout(() => resolve({ value, moved: [...moved] }), 50);
      }),
  );
}

describe("Nothing jumps on a phone @deep", () => {
  const site = useSite();

  const NAMED: Record<string, string> = { ":storeId": "1", ":tokenId": "2", ":hash": `0x${"a".repeat(64)}` };
  const addressOf = (path: string) => path.replace(/:\w+/, (name) => NAMED[name] ?? "1");

  async function expectStill({ path, who }: (typeof PAGES)[number]): Promise<void> {
    const { page } = await (who === "user" ? site.openLoggedIn : site.open)(addressOf(path), PHONE);
    // A call that the reload interrupts would count as running for ever.
    await page.waitForLoadState("networkidle");
    // A phone's network: the page is painted before its answers arrive.
    await page.route("**/api/**", async (call) => {
      await setTimeout(ANSWER_MS);
      await call.continue();
    });
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    const { value, moved } = await shiftOf(page);
    expect(value, `${path}: ${moved.join("\n")}`).to.be.at.most(HIGHEST);
  }

  /** Where the frame of the dashboard's figures is, and how high. */
  const frameOf = (page: Page) =>
    page.locator(".stat:visible").evaluateAll((frames) =>
      frames.map((one) => {
        const { top, height } = one.getBoundingClientRect();
        return [Math.round(top), Math.round(height)];
      }),
    );

  it("between the dashboard's first paint, its frame and its figures", async () => {
    for (const viewport of [PHONE.viewport, { width: 1440, height: 900 }]) {
      const { page } = await site.openLoggedIn("/dashboard", { viewport });
      const gates = ["**/assets/*.js", "**/api/me"].map((path) => ({ path, ...Promise.withResolvers<void>() }));
      for (const { path, promise } of gates) {
        await page.route(path, async (call) => {
          await promise;
          await call.continue();
        });
      }
      await page.reload({ waitUntil: "commit" });
      await page.locator(".first-paint .stat").nth(2).waitFor();
      await page.evaluate(() => document.fonts.ready);
      const painted = await frameOf(page);
      expect(painted).to.have.length(3);
      gates[0]?.resolve();
      await page.locator(".first-paint").first().waitFor({ state: "detached" });
      expect(await frameOf(page), "the frame").to.deep.equal(painted);
      gates[1]?.resolve();
      await page.locator(".stat").first().getByText("14,00 CHZ").waitFor();
      expect(await frameOf(page), "the figures").to.deep.equal(painted);
    }
  });

  it("and the dashboard's largest text is there before its figures", async () => {
    const { page } = await site.openLoggedIn("/dashboard", { viewport: { width: 412, height: 823 } });
    await page.route("**/api/me", async (call) => {
      await setTimeout(ANSWER_MS);
      await call.continue();
    });
    await page.reload();
    await page.locator(".stat").first().getByText("14,00 CHZ").waitFor();
    await page.waitForLoadState("networkidle");
    const [painted, answered] = await page.evaluate(async () => {
      const seen = await new Promise<PerformanceEntry[]>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({
          type: "largest-contentful-paint",
          buffered: true,
        });
      });
      const me = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/api/me"));
      return [seen.at(-1)?.startTime ?? 0, (me as PerformanceResourceTiming | undefined)?.responseStart ?? 0];
    });
    expect(painted).to.be.above(0);
    expect(painted).to.be.below(answered);
  });

  const pages = PAGES.filter((page) => page.who !== "admin");
  for (let first = 0; first < pages.length; first += AT_ONCE) {
    const some = pages.slice(first, first + AT_ONCE);
    it(`while ${some.map(({ path }) => path).join(", ")} load`, () => Promise.all(some.map(expectStill)));
  }
});
