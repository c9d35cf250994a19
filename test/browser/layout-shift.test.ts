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

describe("Nothing jumps on a phone", () => {
  const site = useSite();

  const NAMED: Record<string, string> = { ":storeId": "1", ":tokenId": "2", ":hash": `0x${"a".repeat(64)}` };
  const addressOf = (path: string) => path.replace(/:\w+/, (name) => NAMED[name] ?? "1");

  async function expectStill({ path, who }: (typeof PAGES)[number]): Promise<void> {
    const { page } = await (who === "user" ? site.openLoggedIn : site.open)(addressOf(path), PHONE);
    await page.getByRole("heading", { level: 1 }).waitFor();
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

  const pages = PAGES.filter((page) => page.who !== "admin");
  for (let first = 0; first < pages.length; first += AT_ONCE) {
    const some = pages.slice(first, first + AT_ONCE);
    it(`while ${some.map(({ path }) => path).join(", ")} load`, () => Promise.all(some.map(expectStill)));
  }
});
