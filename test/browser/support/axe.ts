import axe from "axe-core";
import type { Page } from "playwright-core";

declare global {
  interface Window {
    axe: typeof axe;
  }
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** A theme changes only colours, a language everything but colours. */
export type Rules = "all" | "colours" | "all but colours";

const RUN: Record<Rules, axe.RunOptions> = {
  all: { runOnly: { type: "tag", values: RULES } },
  colours: { runOnly: { type: "rule", values: COLOUR_RULES } },
  "all but colours": {
    runOnly: { type: "tag", values: RULES },
    rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])),
  },
};

/**
 * The violations of WCAG 2.2 A and AA that axe finds on the page, one line per rule. The script is loaded once per page
 * and skips frames, which our pages do not have: an analysis takes half the time of the Playwright integration.
 */
export async function objections(page: Page, rules: Rules = "all"): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  // Half seen, a colour has another contrast.
  await page.evaluate(() => {
    const ending = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity);
    return Promise.allSettled(ending.map(({ finished }) => finished));
  });
  const { violations } = await page.evaluate((options) => window.axe.run(document, options), {
    ...RUN[rules],
    resultTypes: ["violations"],
  } satisfies axe.RunOptions);
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}
